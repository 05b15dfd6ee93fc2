// Who answers the machines over DHCP, chosen by [dhcp] dhcp_provider.
import type { Config } from '../../config/core-sections.ts';
import type { Node } from '../../model/node.ts';
import type { Dhcp, Task } from '../../plugin-api/index.ts';
import { createDnsmasqProvider } from './dnsmasq.ts';

export type DhcpTask = Pick<Task, 'node' | 'ports' | 'log' | 'update'>;

export interface DhcpProvider {
  /** What the interfaces of the task's node may do. */
  of(task: DhcpTask): Dhcp;
  /** The addresses are the node's no more, or not to boot from: whatever has them boots nothing of it. Throws DhcpFailed. */
  release(node: Node, addresses: Iterable<string>): void;
}

/** Throws a sentence when the configuration does not fit this host. */
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
