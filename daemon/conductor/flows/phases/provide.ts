// manageable -> cleaning -> available.
import { fault, reasonOf } from '../../../model/faults.ts';
import type { BackgroundWork } from '../../tasks/run-task.ts';
import type { NodeTask } from '../../tasks/task.ts';
import { cleanAutomatically, cleaningRunbook, cleansAutomatically } from './clean.ts';

/** Throws when the node may not become available, or must be cleaned but cannot be. */
export async function validateForProvide(task: NodeTask): Promise<void> {
  const { node, services } = task;
  if (node.retired) throw fault('NodeIsRetired', { action: 'provide', node: node.uuid });
  if (node.maintenance && !services.config.conductor.allow_provisioning_in_maintenance) {
    throw fault('NodeInMaintenance', { action: 'provide', node: node.uuid });
  }
  if (cleansAutomatically(services, node)) {
    cleaningRunbook(services, node);
    await refuseUncleanable(task);
  }
}

/** Moves to `cleaning`. Throws like `validateForProvide`. */
export async function beginProvide(task: NodeTask): Promise<BackgroundWork> {
  await validateForProvide(task);
  task.transition('provide', { startsWork: true });
  return cleanAutomatically;
}

// Without a way to clean, the previous tenant's data would reach the next one
async function refuseUncleanable(task: NodeTask): Promise<void> {
  const { deploy } = task.driver;
  if (deploy.prepareCleaning !== undefined) return;
  try {
    await deploy.validate(task.view);
  } catch (error) {
    throw fault('Uncleanable', { node: task.node.uuid, reason: reasonOf(error) }, { cause: error });
  }
}
