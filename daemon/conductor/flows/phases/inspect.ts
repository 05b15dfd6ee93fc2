// manageable -> inspecting -> inspect wait -> inspecting -> manageable: finds out what the machine is made of.
import { fault, reasonOf } from '../../../model/faults.ts';
import { permits } from '../../../model/states/provision-states.ts';
import { withoutAgentAndToken } from '../../tasks/agent-state.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import { agentStateToClear } from '../../tasks/agent-state.ts';
import type { BackgroundWork } from '../../tasks/run-task.ts';
import type { NodeTask } from '../../tasks/task.ts';

/** Checks the request and moves to `inspecting`; the work starts the machine into its ramdisk. */
export async function beginInspection(task: NodeTask): Promise<BackgroundWork> {
  await task.driver.power.validate(task);
  await task.driver.inspect.validate(task);
  task.transition('inspect', { startsWork: true, changes: withoutAgentAndToken(task.node) });
  return startRamdisk;
}

async function startRamdisk(task: NodeTask): Promise<void> {
  try {
    const result = await task.driver.inspect.inspectHardware(task);
    task.transition(result === 'manageable' ? 'done' : 'wait');
  } catch (error) {
    await failInspection(task, `Failed to start inspection: ${reasonOf(error)}`);
  }
}

/**
 * Forwards the report to an external inspection service. The node returns to `inspect wait`, unlocked, so that the
 * service can update it. The result resolves when the service has answered; a failure is recorded and does not reject.
 */
export function passOnReport(task: NodeTask, report: Uint8Array): Promise<void> {
  const leave = task.services.workers.enter('request');
  try {
    task.transaction(() => {
      task.transition('resume', { startsWork: true });
      task.transition('wait');
    });
  } catch (error) {
    leave();
    throw error;
  }
  return passOn(task, report)
    .catch((error: unknown) => task.log.error({ error }, 'the failure could not be recorded'))
    .finally(leave);
}

async function passOn(task: NodeTask, report: Uint8Array): Promise<void> {
  const { uuid, inspection_started_at: started } = task.node;
  try {
    await task.driver.inspect.passOn?.(task, report);
    task.log.info({}, "the ramdisk's report was passed on");
  } catch (error) {
    const { locks, config } = task.services;
    const release = await locks.acquire(uuid, config.plugins.operation_timeout * 1000);
    try {
      task.reload();
      const waits = permits(task.node.provision_state, 'inspectionReport') === true;
      if (waits && task.node.inspection_started_at === started)
        await failInspection(task, `Failed to pass the ramdisk's report on: ${reasonOf(error)}`);
    } finally {
      release();
    }
  }
}

/**
 * Processes the ramdisk's report; ends in `manageable` or `inspect failed`. `store` stores what `process` resolves to,
 * in the transaction that ends a successful inspection.
 */
export async function finishInspection<T>(
  task: NodeTask,
  process: () => Promise<T>,
  store: (found: T) => void = () => {},
): Promise<void> {
  try {
    const found = await process();
    task.reload();
    await task.driver.inspect.finish?.(task);
    task.transaction(() => {
      store(found);
      task.recordInfo({
        event: 'Inspection finished: ports, properties and inventory are stored.',
        eventType: 'inspection',
      });
      task.transition('done', { changes: agentStateToClear(task.services, task.node) });
    });
  } catch (error) {
    await failInspection(task, `Failed to finish inspection: ${reasonOf(error)}`);
  }
}

/** Moves to `inspect failed` and leaves the machine as an abort would. */
export async function failInspection(task: NodeTask, reason: string): Promise<void> {
  const error = task.recordError({ event: reason, eventType: 'inspection' });
  task.transition('fail', { error, changes: withoutAgentAndToken(task.node) });
  await cleanUp(task);
}

/** Carries out an operator's `abort` in `inspect wait`. */
export function abortInspection(task: NodeTask): BackgroundWork {
  if (task.driver.inspect.abort === undefined) {
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: 'abort of inspection' });
  }
  const error = task.recordError({ event: 'Inspection was aborted by request.', eventType: 'inspection' });
  task.transition('abort', { error, changes: withoutAgentAndToken(task.node) });
  return cleanUp;
}

const cleanUp = (task: NodeTask): Promise<boolean> =>
  cleanUpAfter(task, 'the inspection', 'inspection', () => task.driver.inspect.abort?.(task));
