// active -> deleting -> cleaning -> available: tears down the instance.
import { memberCondition } from '../../../db/tables/table.ts';
import { fault, reasonOf } from '../../../model/faults.ts';
import { changeInfo, keysUntil } from '../../../model/internal-info.ts';
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import { stopConsole } from '../../hardware/console.ts';
import { detachAllVifs } from '../../hardware/vifs.ts';
import { dissociate } from '../../records/allocations/node-association.ts';
import { cleanAutomatically } from './clean.ts';
import type { FlowTask, FlowWork } from '../services.ts';

/** Throws NodeProtected, or the error of the power interface when it finds the node unfit. */
export async function validateForTearDown(task: FlowTask): Promise<void> {
  if (task.node.protected) throw fault('NodeProtected', { node: task.node.uuid });
  await task.driver.power.validate(task.view);
}

/** Checks the request and moves to `deleting`. */
export async function beginTearDown(task: FlowTask): Promise<FlowWork> {
  await validateForTearDown(task);
  const rescued = permissionIn(task.node.provision_state, 'rescued') === true;
  task.transition('delete', { startsWork: true });
  return (running) => tearDown(running, rescued);
}

async function tearDown(task: FlowTask, rescued: boolean): Promise<void> {
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
    removeVolumeTargets(task);
    dissociate(task, withoutInstance(task.node));
  }
  task.transition('clean', { startsWork: true });
  await cleanAutomatically(task);
}

/** The volumes were those of the instance. The connectors stay: they are of the machine. */
function removeVolumeTargets({ node, services: { db } }: FlowTask): void {
  for (const { uuid } of db.volumeTargets.where(memberCondition('node_uuid', [node.uuid])))
    db.volumeTargets.remove(uuid);
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
