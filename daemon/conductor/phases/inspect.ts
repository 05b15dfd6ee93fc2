// manageable -> inspecting -> inspect wait -> inspecting -> manageable: what the machine is made of.
import { fault, reasonOf } from '../../model/faults.ts';
import { withoutAgentAndToken } from '../agent-traces.ts';
import { cleanUpAfter } from '../clean-up.ts';
import type { BackgroundWork } from '../run-task.ts';
import type { NodeTask } from '../task.ts';

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
 * Runs in `inspecting` after the ramdisk has reported. `process` runs the hooks and stores what they found; ends in
 * `manageable` or `inspect failed`.
 */
export async function finishInspection(task: NodeTask, process: () => Promise<void>): Promise<void> {
  try {
    await process();
    task.reload();
    await task.driver.inspect.finish?.(task);
    task.services.db.transaction(() => {
      task.recordInfo({
        event: 'Inspection finished: ports, properties and inventory are stored.',
        eventType: 'inspection',
      });
      task.transition('done', { changes: withoutAgentAndToken(task.node) });
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

/** An operator's `abort` in `inspect wait`. */
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
