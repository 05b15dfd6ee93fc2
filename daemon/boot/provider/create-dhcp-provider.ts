// Chooses the DHCP provider: dnsmasq if [dhcp] dhcp_provider names it, else the daemon's own DHCP server if [dhcp_server] has a
// subnet, else a provider that does nothing.
import type { Config } from '../../config/sections/core-sections.ts';
import type { DhcpProvider } from './dhcp-provider.ts';
import { createDnsmasqProvider } from '../dnsmasq/dnsmasq.ts';
import { ownDhcpProvider, type StoredLeases } from './own-dhcp-provider.ts';

/** Throws when the configuration does not fit this host. */
export function createDhcpProvider(config: Config, stored: StoredLeases): DhcpProvider {
  if (config.dhcp.dhcp_provider === 'dnsmasq')
    return createDnsmasqProvider(config.dnsmasq, config.pxe_filter.dhcp_hostsdir);
  return config.dhcp_server.subnet.length > 0 ? ownDhcpProvider(stored) : none;
}

const none: DhcpProvider = {
  of: () => ({
    update: async () => {},
    clean: async () => {},
    ipAddresses: async () => [],
  }),
  release() {},
};
