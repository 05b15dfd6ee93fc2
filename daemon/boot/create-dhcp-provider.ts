// Chooses the DHCP provider that [dhcp] dhcp_provider names.
import type { Config } from '../config/sections/core-sections.ts';
import type { DhcpProvider } from './dhcp-provider.ts';
import { createDnsmasqProvider } from './dnsmasq/dnsmasq.ts';

/** Throws when the configuration does not fit this host. */
export const createDhcpProvider = (config: Config): DhcpProvider =>
  config.dhcp.dhcp_provider === 'dnsmasq'
    ? createDnsmasqProvider(config.dnsmasq, config.pxe_filter.dhcp_hostsdir)
    : none;

const none: DhcpProvider = {
  of: () => ({
    update: async () => {},
    clean: async () => {},
    ipAddresses: async () => [],
  }),
  release() {},
};
