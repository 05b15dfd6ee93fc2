// Stores, in one transaction, what an inspection found: changes of the node and its ports and, if configured, the inventory.
import { addPort } from '../records/ports/add-port.ts';
import { changePorts } from '../records/ports/change-ports.ts';
import { changeNode } from '../records/node-records.ts';
import { storeHardware } from './hardware.ts';
import { keepsInventories } from './stored-inventory.ts';
import { Fault } from '../../model/faults.ts';
import { now } from '../../lib/clock.ts';
import { InspectionError } from '#plugin-api';
import type { InspectionChanges } from './changes.ts';
import type { InspectionTask } from './services.ts';

/** Throws a Fault or an InspectionError, with nothing stored, when a change of the node is refused. */
export function applyChanges(task: InspectionTask, changes: InspectionChanges): void {
  const { db } = task.services;
  const { uuid } = task.node;
  const updated_at = now(task.services);
  changePorts(task, () => {
    changeFields(task, changes);
    for (const port of changes.removedPorts) db.ports.remove(port);
    for (const port of changes.changedPorts) db.ports.update(port.uuid, { ...port.changes, updated_at });
    for (const { uuid: _, ...port } of changes.addedPorts) addPort(task, port);
    if (changes.stored === undefined || !keepsInventories(task.services)) return;
    db.inventory.put(uuid, updated_at, changes.stored);
    if (changes.seen !== undefined) storeHardware(task, changes.seen);
  });
}

function changeFields(task: InspectionTask, { node, authors }: InspectionChanges): void {
  try {
    changeNode(task, node, { resetInterfaces: false, named: new Set() });
  } catch (error) {
    // `properties` and `extra` accept any content up to the size limit of a record: another field was probably refused
    const { properties: _, extra: __, ...suspects } = authors;
    if (!(error instanceof Fault) || Object.keys(suspects).length === 0) throw error;
    const who = Object.entries(suspects).map(([field, author]) => `${author} changed ${field}`);
    throw new InspectionError(`${who.join('; ')}: refused: ${error.message}`, { cause: error });
  }
}
