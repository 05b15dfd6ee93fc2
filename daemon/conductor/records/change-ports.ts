// Changes of a node's ports, in the database and in DHCP.
import { bootAddresses } from '../../model/records/port.ts';
import type { NodeTask } from '../tasks/task.ts';

/** Runs `change` in a transaction and withdraws DHCP options from addresses the node no longer boots from. */
export function changePorts<T>(task: NodeTask, change: () => T): T {
  const { node, services } = task;
  const { db, dhcp } = services;
  const addresses = () => bootAddresses(db.ports.ofNode(node.uuid));
  return task.transaction(() => {
    const before = addresses();
    const result = change();
    dhcp.release(node, before.difference(addresses()));
    return result;
  });
}
