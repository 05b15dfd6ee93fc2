// Clearing up after a flow that ended badly: what fails then is told beside why the flow ended.
import { reasonOf } from '../model/faults.ts';
import type { NodeTask } from './task.ts';

/** `what` and `eventType` are for the history: `inspection`. Never throws; false: it failed. */
export async function cleanUpAfter(
  task: NodeTask,
  what: string,
  eventType: string,
  work: () => Promise<void> | undefined,
): Promise<boolean> {
  // a power action that fails puts its own error in the place of why the node is here
  const why = task.node.last_error ?? '';
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
