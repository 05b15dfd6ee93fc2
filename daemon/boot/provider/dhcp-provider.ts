// The interface of DHCP providers, which pass the boot options of nodes to a DHCP server.
import type { Node } from '../../model/records/node.ts';
import type { Dhcp, Task } from '../../plugin-api/index.ts';

export interface DhcpTask extends Pick<Task, 'node' | 'ports' | 'log'> {
  /** Changes the node; the changes are in the database when `store` returns. */
  store(changes: Pick<Node, 'driver_internal_info'>): void;
}

export interface DhcpProvider {
  /** Returns the DHCP operations offered to the interfaces of the task's node. */
  of(task: DhcpTask): Dhcp;
  /** Withdraws the node's boot options from these MAC addresses. Throws DhcpFailed. */
  release(node: Node, addresses: Iterable<string>): void;
}
