// The daemon's own DHCP server.
import { typed } from '../../../lib/json/typed-schema.ts';
import { flag, seconds, section } from '../typed-options.ts';

export const dhcpServerSection = section({
  subnet: typed<readonly string[]>({
    type: 'array',
    items: { type: 'string', format: 'dhcp-subnet' },
    repeatable: true,
    default: [],
    description:
      'A subnet that the daemon serves, as "10.0.0.0/24 range=10.0.0.50-10.0.0.250 router=10.0.0.1 dns=10.0.0.1 ntp=10.0.0.1 domain=rack.example interface=br0"; set the option once for each subnet. range, router, dns and ntp may be repeated. interface names the network interface of this host that is in the subnet; leave it out where DHCP relays forward the requests. If no subnet names an interface, relays must send the requests to [DEFAULT] my_ip. An IPv6 subnet, as "2001:db8::/64 range=2001:db8::1000-2001:db8::1fff dns=2001:db8::1 interface=br0", is served by DHCPv6; it has no router, and without range its machines get only settings. A port gets the addresses in its extra/ipv4_address and extra/ipv6_address, which may lie outside the ranges. Empty: the daemon serves no DHCP.',
  }),
  options: typed<readonly string[]>({
    type: 'array',
    items: { type: 'string', format: 'dhcp-options' },
    repeatable: true,
    default: [],
    description:
      'DHCP options for the machines of a subnet, as "10.0.0.0/24 {"interface-mtu": 9000, "150": "ip:10.0.0.9"}", or of all subnets if only the JSON object is given; set the option once for each subnet. The names of DHCPv6 options begin with dhcp6., as in "2001:db8::/64 {"dhcp6.domain-search": "rack.example"}". daemon/docs/dhcp.md has the names and the forms of the values. The field dhcp_options in the extra of a port takes the same object, and precedes.',
  }),
  mode: typed<'server' | 'proxy'>({
    type: 'string',
    enum: ['server', 'proxy'],
    default: 'server',
    description:
      'server: the daemon gives addresses and says what to boot; it must be the only DHCP server for these machines. proxy: another server gives addresses, and the daemon adds what to boot (ProxyDHCP); subnets then need no range. DHCPv6 has no ProxyDHCP. Some UEFI firmware ignores ProxyDHCP.',
  }),
  known_machines_only: flag(
    true,
    'Whether only machines whose MAC address is that of a port are answered. Others are answered nevertheless while a node waits for an inspection report, with [auto_discovery] enabled, and in subnets inside [zero_touch] bmc_networks, unless they boot from the network there. Off: every machine that asks gets an address.',
  ),
  lease_time: seconds(
    3600,
    120,
    'How long a machine may use an address without renewing the lease, in seconds.',
  ),
  probe_addresses: flag(
    true,
    'Whether the daemon checks that no host on the network uses an address before it gives the address to a machine that did not have it. In IPv6 subnets the machines check that themselves. The check takes 0.1 s. An address in use is not given.',
  ),
});
