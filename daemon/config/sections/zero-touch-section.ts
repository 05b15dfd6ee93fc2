// How new machines are found and taken in.
import { flag, integer, networks, seconds, section, text } from './typed-options.ts';

export const zeroTouchSection = section({
  bmc_networks: networks(
    'The networks of BMCs, as in 10.0.9.0/24. The daemon looks for BMCs there, and asks no others that it finds. [dhcp_server] gives addresses to machines without a port in its subnets that are inside them. Empty: the daemon looks for no BMCs.',
  ),
  scan_interval: seconds(
    3600,
    0,
    'The time in seconds between two scans of bmc_networks: each address is asked at most once, 50 addresses a second. Networks with more than 65,536 IPv4 or 1,024 IPv6 addresses are left out. 0: the daemon scans only when it is asked to.',
  ),
  max_machines: integer(10, { minimum: 1, maximum: 1000 }, 'How many new machines are taken in at once.'),
  bmc_username: text(
    'ironic-edge',
    'The user that the daemon makes on the BMC of a new machine, with a password of its own: 1 to 16 letters, digits and .-_ that begin with a letter.',
  ),
  verify_ca: flag(
    false,
    'Whether the certificates of new BMCs are verified: redfish_verify_ca of their nodes. BMCs come with certificates of their own making.',
  ),
});
