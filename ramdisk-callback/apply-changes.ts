// Stores what the hooks found: node, ports and, unless it is not to be kept, inventory, in one transaction.
import { addPort } from '../daemon/conductor/add-port.ts';
import { now } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
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
    for (const { uuid: _, ...port } of changes.addedPorts) addPort(task, port);
    if (services.config.inventory.data_backend === 'database') {
      services.db.inventory.put(uuid, updated_at, {
        inventory: changes.inventory,
        plugin_data: changes.pluginData,
      });
    }
  });
}
