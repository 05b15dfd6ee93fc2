// Changes of a node's ports, in the database and in what DHCP answers them.
import { bootAddresses } from '../model/port.ts';
import type { NodeTask } from './task.ts';

/** `change` in a transaction: an address that the node has no more, or does not boot from, boots nothing of it. */
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
