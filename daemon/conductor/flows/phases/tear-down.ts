// active -> deleting -> cleaning -> available: tears down the instance.
import { fault, reasonOf } from '../../../model/faults.ts';
import { changeInfo, keysUntil } from '../../../model/internal-info.ts';
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import { stopConsole } from '../../hardware/console.ts';
import { detachAllVifs } from '../../hardware/vifs.ts';
import { dissociate } from '../../records/allocations/node-association.ts';
import type { BackgroundWork } from '../../tasks/run-task.ts';
import type { NodeTask } from '../../tasks/task.ts';
import { cleanAutomatically } from './clean.ts';

/** Throws NodeProtected, or the error of the power interface when it finds the node unfit. */
export async function validateForTearDown(task: NodeTask): Promise<void> {
  if (task.node.protected) throw fault('NodeProtected', { node: task.node.uuid });
  await task.driver.power.validate(task.view);
}

/** Checks the request and moves to `deleting`. */
export async function beginTearDown(task: NodeTask): Promise<BackgroundWork> {
  await validateForTearDown(task);
  const rescued = permissionIn(task.node.provision_state, 'rescued') === true;
  task.transition('delete', { startsWork: true });
  return (running) => tearDown(running, rescued);
}

async function tearDown(task: NodeTask, rescued: boolean): Promise<void> {
  try {
    if (rescued) await task.driver.rescue.cleanUp?.(task.view);
    await stopConsole(task, 'The instance is being removed.');
    await task.driver.deploy.tearDown?.(task.view);
  } catch (error) {
    const event = `Failed to tear the instance down: ${reasonOf(error)}`;
    task.transition('fail', { error: task.recordError({ event, eventType: 'undeploy' }) });
    return;
  } finally {
    detachAllVifs(task);
    dissociate(task, withoutInstance(task.node));
  }
  task.transition('clean', { startsWork: true });
  await cleanAutomatically(task);
}

const withoutInstance = (node: Node): NodeChanges => ({
  ...changeInfo(
    node,
    {},
    keysUntil('tear-down', 'deploy flow', 'service flow', 'step', 'ramdisk', 'agent', 'token'),
  ),
  deploy_step: {},
  service_step: {},
  instance_info: {},
  instance_name: null,
});
