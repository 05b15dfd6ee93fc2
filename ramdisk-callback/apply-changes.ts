// Stores what the hooks found: node, ports and inventory in one transaction.
import { now } from '../daemon/conductor/services.ts';
import { newPort, type NodeTask } from '../daemon/conductor/task.ts';
import type { PortDraft } from '#plugin-api';
import type { InspectionChanges } from './run-hooks.ts';

export function applyChanges(task: NodeTask, changes: InspectionChanges): void {
  const { services } = task;
  const { uuid } = task.node;
  const updated_at = now(services);
  services.db.transaction(() => {
    services.db.nodes.update(uuid, { ...changes.node, updated_at });
    for (const port of changes.removedPorts) services.db.ports.remove(port);
    for (const port of changes.changedPorts)
      services.db.ports.update(port.uuid, { ...port.changes, updated_at });
    for (const port of changes.addedPorts) addPort(task, port, updated_at);
    services.db.inventory.put(uuid, updated_at, {
      inventory: changes.inventory,
      plugin_data: changes.pluginData,
    });
  });
}

function addPort(task: NodeTask, draft: PortDraft, time: string): void {
  const { ports } = task.services.db;
  const owner = ports.findBy('address', draft.address)?.node_uuid;
  if (owner !== undefined) {
    task.log.info({ address: draft.address, owner }, 'a port with this address exists already');
    return;
  }
  const { uuid: _, address, ...given } = draft;
  ports.insert(newPort(task.node.uuid, address, time, given));
}
