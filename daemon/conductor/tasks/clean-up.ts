// Cleans up after a failed or aborted flow, such as an inspection. If the clean-up fails too, adds its reason to that of the flow.
import { reasonOf } from '../../model/faults.ts';
import type { NodeTask } from './task.ts';

/**
 * Resolves to false when `work` failed; does not rethrow. `what` names the flow in the error: `the inspection`; `eventType` is
 * the type of the entry in the node's history.
 */
export async function cleanUpAfter(
  task: NodeTask,
  what: string,
  eventType: string,
  work: () => Promise<void> | undefined,
): Promise<boolean> {
  // kept because a failing power action overwrites it
  const why = task.node.last_error ?? '';
  task.services.locks.setEnding(task.node.uuid, true);
  try {
    await work();
    return true;
  } catch (error) {
    const event = `Cleaning up after ${what} failed: ${reasonOf(error)}`;
    const text = task.recordError({ event, eventType });
    task.store({ last_error: `${why} ${text}`.trim() });
    return false;
  }
}
