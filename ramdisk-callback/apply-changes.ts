// Stores what hooks and rules found: node, ports and, unless it is not to be kept, inventory, in one transaction.
import { nodeBodies } from '../daemon/api/node-bodies.ts';
import { refuseTooLarge } from '../daemon/api/record-size.ts';
import { addPort } from '../daemon/conductor/add-port.ts';
import { changePorts } from '../daemon/conductor/change-ports.ts';
import { changeNode } from '../daemon/conductor/node-records.ts';
import { storeTraits } from '../daemon/conductor/node-traits.ts';
import { keepsInventories } from '../daemon/conductor/stored-inventory.ts';
import { now } from '../daemon/conductor/services.ts';
import type { NodeTask } from '../daemon/conductor/task.ts';
import type { JsonObject } from '../daemon/model/json.ts';
import { MAXIMUM_MINOR } from '../daemon/model/microversions.ts';
import { nodeFields } from '../daemon/model/node.ts';
import type { InspectionChanges } from './inspection-changes.ts';

/** Throws what speaks against a change of the node; nothing is stored then. */
export function applyChanges(task: NodeTask, changes: InspectionChanges): void {
  const { db } = task.services;
  const { uuid } = task.node;
  const updated_at = now(task.services);
  changePorts(task, () => {
    changeFields(task, changes.node);
    for (const port of changes.removedPorts) db.ports.remove(port);
    for (const port of changes.changedPorts) db.ports.update(port.uuid, { ...port.changes, updated_at });
    for (const { uuid: _, ...port } of changes.addedPorts) addPort(task, port);
    if (keepsInventories(task.services)) db.inventory.put(uuid, updated_at, changes.stored);
  });
}

// what clients may not write, hooks and rules may not either
function changeFields(task: NodeTask, { traits, ...fields }: JsonObject): void {
  const patch = Object.entries(fields).map(([name, value]) =>
    value === null ? { op: 'remove', path: `/${name}` } : { op: 'add', path: `/${name}`, value },
  );
  const operations = nodeBodies.operations(patch, MAXIMUM_MINOR);
  const changes = nodeBodies.changes(task.node, operations, MAXIMUM_MINOR);
  refuseTooLarge(task.services.config, nodeFields, task.node, changes);
  changeNode(task, changes, { resetInterfaces: false, named: new Set() });
  if (Array.isArray(traits)) storeTraits(task, traits as readonly string[]);
}
