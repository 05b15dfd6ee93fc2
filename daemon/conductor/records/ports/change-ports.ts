// Changes a node's ports, in the database and in what the boot servers serve.
import { bootAddresses } from '../../../model/records/port.ts';
import type { RecordTask } from '../services.ts';

/**
 * Runs `change` in a transaction. Addresses that the node no longer boots from lose their DHCP options, and new ones get
 * the node's boot scripts.
 */
export function changePorts<T>(task: RecordTask, change: () => T): T {
  const { node, services } = task;
  const { db, dhcp, networkBoots } = services;
  const addresses = () => bootAddresses(db.ports.ofNode(node.uuid));
  return task.transaction(() => {
    const before = addresses();
    const result = change();
    dhcp.release(node, before.difference(addresses()));
    db.afterCommit(() => networkBoots.refresh(node.uuid));
    return result;
  });
}
