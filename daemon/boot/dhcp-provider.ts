// The DHCP provider, chosen by [dhcp] dhcp_provider: passes boot options of nodes to the DHCP server.
import type { Config } from '../config/sections/core-sections.ts';
import type { Node } from '../model/records/node.ts';
import type { Dhcp, Task } from '../plugin-api/index.ts';
import { createDnsmasqProvider } from './dnsmasq/dnsmasq.ts';

export type DhcpTask = Pick<Task, 'node' | 'ports' | 'log' | 'update'>;

export interface DhcpProvider {
  /** Returns the DHCP operations offered to the interfaces of the task's node. */
  of(task: DhcpTask): Dhcp;
  /** Withdraws the node's boot options from these MAC addresses. Throws DhcpFailed. */
  release(node: Node, addresses: Iterable<string>): void;
}

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
