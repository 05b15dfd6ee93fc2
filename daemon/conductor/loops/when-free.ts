// Postpones due work on a node while the node is locked or in maintenance.
import type { Node } from '../../model/records/node.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { LoopServices, LoopTask } from './services.ts';

/** Milliseconds until the next attempt while the node is locked. */
export const LOCKED_RETRY = 1000;
const MAINTENANCE_RETRY = 10_000;

/** Returns the milliseconds until the next attempt; undefined when `work` has run. */
export async function whenFree(
  services: LoopServices,
  { uuid, maintenance }: Node,
  work: (task: LoopTask) => Promise<void>,
): Promise<number | undefined> {
  if (maintenance) return MAINTENANCE_RETRY;
  const done = await withTaskIfFree(services, uuid, async (task) => {
    await work(task);
    return true;
  });
  return done === true ? undefined : LOCKED_RETRY;
}
