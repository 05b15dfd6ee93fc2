// Work that is due on a node is put off while somebody else works on the node, or an operator keeps it in maintenance.
import type { Node } from '../../model/node.ts';
import { withTaskIfFree } from '../run-task.ts';
import type { Services } from '../services.ts';
import type { NodeTask } from '../task.ts';

/** Milliseconds. */
export const LOCKED_RETRY = 1000;
const MAINTENANCE_RETRY = 10_000;

/** Milliseconds until it is to be tried again; undefined: `work` was done. */
export async function whenFree(
  services: Services,
  { uuid, maintenance }: Node,
  work: (task: NodeTask) => Promise<void>,
): Promise<number | undefined> {
  if (maintenance) return MAINTENANCE_RETRY;
  const done = await withTaskIfFree(services, uuid, async (task) => {
    await work(task);
    return true;
  });
  return done === true ? undefined : LOCKED_RETRY;
}
