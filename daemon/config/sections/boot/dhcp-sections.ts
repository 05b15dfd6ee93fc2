// The DHCP server that tells machines what to boot when a boot interface has prepared a boot.
import { typed } from '../../../lib/json/typed-schema.ts';
import { path, section } from '../typed-options.ts';

const watched = (otherwise: string, what: string, option: string) =>
  path(
    otherwise,
    `The directory where the dnsmasq provider writes the ${what}; set ${option} in dnsmasq to the same path. It must exist before the daemon and dnsmasq start.`,
  );

export const dhcpSections = {
  dhcp: section({
    dhcp_provider: typed<'none' | 'dnsmasq'>({
      type: 'string',
      enum: ['none', 'dnsmasq'],
      default: 'none',
      description:
        'The DHCP server that tells machines what to boot. none: the daemon itself if [dhcp_server] has a subnet, otherwise a server that the daemon does not configure. dnsmasq: a dnsmasq on this host, configured through the directories in [dnsmasq].',
    }),
  }),
  dnsmasq: section({
    dhcp_optsdir: watched('/etc/dnsmasq.d/optsdir.d', 'option files of nodes', 'dhcp-optsdir'),
    dhcp_hostsdir: watched('/etc/dnsmasq.d/hostsdir.d', 'host files of ports', 'dhcp-hostsdir'),
    dhcp_leasefile: path(
      '/var/lib/dnsmasq/dnsmasq.leases',
      'The lease file of dnsmasq, used by the dnsmasq provider; the same path as dhcp-leasefile in dnsmasq.',
    ),
  }),
};
