// manageable -> inspecting -> inspect wait -> inspecting -> manageable: finds out what the machine is made of.
import { fault, reasonOf } from '../../../model/faults.ts';
import { changeInfo, keysUntil } from '../../../model/internal-info.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import { applyChanges } from '../../inspection/apply-changes.ts';
import type { InspectionChanges } from '../../inspection/changes.ts';
import { changesByInterface } from '../../inspection/compute-changes.ts';
import { agentStateToClear, withoutAgentAndToken } from '../../tasks/agent-state.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import { inspectionData, inspectionService } from '../awaited.ts';
import { validateWithMachine } from '../validate-machine.ts';
import type { FlowTask, FlowWork } from '../services.ts';

/** Checks the request and moves to `inspecting`; the work boots the ramdisk, or reads the hardware through the BMC. */
export async function beginInspection(task: FlowTask): Promise<FlowWork> {
  await task.driver.power.validate(task.view);
  await validateWithMachine(task, 'inspect');
  task.transition('inspect', { startsWork: true, changes: withoutAgentAndToken(task.node) });
  return inspect;
}

async function inspect(task: FlowTask): Promise<void> {
  try {
    const result = await task.driver.inspect.inspectHardware(task.view);
    if (result === 'manageable') task.transition('done');
    else if (typeof result === 'string')
      task.wait('wait', task.driver.inspect.poll === undefined ? inspectionData : inspectionService);
    else await finishInspection(task, changesByInterface(task, result));
  } catch (error) {
    await failInspection(task, `Failed to start inspection: ${reasonOf(error)}`);
  }
}

/**
 * Forwards the report to an external inspection service, without the node's lock, so that the service can update the
 * node. The node goes through `inspecting` back to `inspect wait`, as in Ironic; this restarts [conductor]
 * inspect_wait_timeout. The promise resolves when the service has answered. It never rejects: when the report cannot be
 * forwarded, the inspection fails if the node still waits in it.
 */
export function passOnReport(task: FlowTask, report: Uint8Array): Promise<void> {
  const leave = task.services.workers.enter('request');
  try {
    task.transaction(() => {
      task.transition('resume', { startsWork: true });
      task.wait('wait', inspectionService);
    });
  } catch (error) {
    leave();
    throw error;
  }
  return passOn(task, report)
    .catch((error: unknown) =>
      task.log.error({ error }, "the failure to pass the ramdisk's report on could not be recorded"),
    )
    .finally(leave);
}

async function passOn(task: FlowTask, report: Uint8Array): Promise<void> {
  const { uuid, inspection_started_at: started } = task.node;
  try {
    await task.driver.inspect.passOn?.(task.view, report);
    task.log.info({}, "the ramdisk's report was passed on");
  } catch (error) {
    const { locks, config } = task.services;
    const release = await locks.acquire(uuid, config.plugins.operation_timeout * 1000);
    try {
      task.reload();
      const waits = permissionIn(task.node.provision_state, 'inspectionReport') === true;
      if (waits && task.node.inspection_started_at === started)
        await failInspection(task, `Failed to pass the ramdisk's report on: ${reasonOf(error)}`);
    } finally {
      release();
    }
  }
}

/**
 * Stores what the inspection found, brings the machine into its final power state and moves to `manageable`. Moves to
 * `inspect failed` when `found` rejects or one of these operations fails. Stored data are kept even if the machine
 * cannot be powered off. Resolves to whether the inspection succeeded.
 */
export async function finishInspection(task: FlowTask, found: Promise<InspectionChanges>): Promise<boolean> {
  try {
    const changes = await found;
    task.reload();
    applyChanges(task, changes);
    await task.driver.inspect.finish?.(task.view);
    task.transaction(() => {
      task.recordInfo({
        event: 'Inspection finished: ports, properties and inventory are stored.',
        eventType: 'inspection',
      });
      const without = { ...task.node, ...changeInfo(task.node, {}, keysUntil('next inspection')) };
      const { driver_internal_info } = { ...without, ...agentStateToClear(task.services, without) };
      task.transition('done', { changes: { driver_internal_info } });
    });
    return true;
  } catch (error) {
    await failInspection(task, `Failed to finish inspection: ${reasonOf(error)}`);
    return false;
  }
}

/** Moves to `inspect failed` and leaves the machine as an abort would. */
export async function failInspection(task: FlowTask, reason: string): Promise<void> {
  const error = task.recordError({ event: reason, eventType: 'inspection' });
  task.transition('fail', { error, changes: withoutAgentAndToken(task.node) });
  await cleanUpInspection(task);
}

/** Carries out an operator's `abort` in `inspect wait`. */
export function abortInspection(task: FlowTask): FlowWork {
  if (task.driver.inspect.abort === undefined) {
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: 'abort of inspection' });
  }
  const error = task.recordError({ event: 'Inspection was aborted by request.', eventType: 'inspection' });
  task.transition('abort', { error, changes: withoutAgentAndToken(task.node) });
  return cleanUpInspection;
}

/** Leaves the machine as [inspector] power_off says. */
export const cleanUpInspection = (task: FlowTask): Promise<boolean> =>
  cleanUpAfter(task, 'the inspection', 'inspection', () => task.driver.inspect.abort?.(task.view));
