// manageable -> cleaning -> available.
import { fault } from '../../model/faults.ts';
import type { BackgroundWork } from '../run-task.ts';
import type { NodeTask } from '../task.ts';
import { cleanAutomatically, cleaningRunbook, cleansAutomatically } from './clean.ts';

/** Throws when the node may not become available, or would have to be cleaned and cannot be. */
export async function validateForProvide(task: NodeTask): Promise<void> {
  const { node, services } = task;
  if (node.retired) throw fault('NodeIsRetired', { action: 'provide', node: node.uuid });
  if (node.maintenance && !services.config.conductor.allow_provisioning_in_maintenance) {
    throw fault('NodeInMaintenance', { action: 'provide', node: node.uuid });
  }
  if (cleansAutomatically(services, node)) {
    cleaningRunbook(services, node);
    // without a way to clean, whoever used the node before would leave his data to the next
    if (task.driver.deploy.prepareCleaning === undefined) await task.driver.deploy.validate(task);
  }
}

/** Moves to `cleaning`. Throws like `validateForProvide`. */
export async function beginProvide(task: NodeTask): Promise<BackgroundWork> {
  await validateForProvide(task);
  task.transition('provide', { startsWork: true });
  return cleanAutomatically;
}
