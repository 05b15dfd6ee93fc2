// Runs hooks and rules again on the stored data of a node's last inspection.
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { classOf, permissionIn } from '../../model/states/provision-states.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { NodeTask } from '../tasks/task.ts';
import { applyChanges } from './apply-changes.ts';
import { changesByInventory } from './compute-changes.ts';
import type { Compared } from './report-processor.ts';
import type { InspectionServices, InspectionTask } from './services.ts';
import { InspectionError } from '#plugin-api';

/**
 * Returns the changes, and stores them unless it is a dry run. Throws NodeInventoryNotFound, InventoryNotProcessed, and, except
 * in a dry run, NodeLocked, NodeBusy or InvalidState.
 */
export function reprocessInventory(
  call: Call<InspectionServices>,
  node: Node,
  isDryRun: boolean,
): Promise<Compared> {
  return isDryRun ? changesByInventory(new NodeTask(call, node), true) : withTask(call, node.uuid, change);
}

async function change(task: InspectionTask): Promise<Compared> {
  refuseWrongMoment(task.node);
  const compared = await changesByInventory(task, false);
  task.transaction(() => {
    apply(task, compared);
    const count = compared.differences.length;
    task.recordInfo({
      event: `The stored inspection data was processed again: ${count} ${count === 1 ? 'value' : 'values'} changed.`,
      eventType: 'inspection',
    });
  });
  return compared;
}

function apply(task: InspectionTask, { changes }: Compared): void {
  try {
    applyChanges(task, changes);
  } catch (error) {
    if (!(error instanceof InspectionError)) throw error;
    throw fault('InventoryNotProcessed', { node: task.node.uuid, reason: error.message });
  }
}

// hooks and rules may remove ports and change how they are connected
function refuseWrongMoment(node: Node): void {
  const { uuid, provision_state: state, maintenance } = node;
  if (!['stable', 'failed'].includes(classOf(state))) throw fault('NodeBusy', { node: uuid });
  if (maintenance || permissionIn(state, 'rewire') === true) return;
  throw fault('InvalidState', {
    reason: `The inspection data of node ${uuid} can not be processed again while the node is in state "${state}", because that may change the node's ports. Put the node into maintenance first, or use a dry run, which is always possible.`,
  });
}
