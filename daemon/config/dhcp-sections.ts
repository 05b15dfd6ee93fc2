// Who tells machines over DHCP what to boot, when a boot interface has them boot something.
import { typed } from '../lib/typed-schema.ts';
import { path, section } from './typed-options.ts';

const watched = (otherwise: string, what: string, option: string) =>
  path(
    otherwise,
    `With the dnsmasq provider: the directory that ${what} are kept in, and that ${option} of dnsmasq names. It must exist before either starts.`,
  );

export const dhcpSections = {
  dhcp: section({
    dhcp_provider: typed<'none' | 'dnsmasq'>({
      type: 'string',
      enum: ['none', 'dnsmasq'],
      default: 'none',
      description:
        'What tells machines over DHCP what a boot interface has them boot. none: a server that nobody here configures. dnsmasq: a dnsmasq on this host, through the directories of [dnsmasq].',
    }),
  }),
  dnsmasq: section({
    dhcp_optsdir: watched('/etc/dnsmasq.d/optsdir.d', 'option files of nodes', 'dhcp-optsdir'),
    dhcp_hostsdir: watched('/etc/dnsmasq.d/hostsdir.d', 'host files of ports', 'dhcp-hostsdir'),
    dhcp_leasefile: path(
      '/var/lib/dnsmasq/dnsmasq.leases',
      'With the dnsmasq provider: the file that dhcp-leasefile of dnsmasq names.',
    ),
  }),
};
