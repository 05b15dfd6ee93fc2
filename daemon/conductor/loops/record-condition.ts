// Keeps health, boot mode and Secure Boot in the node's record equal to those of its machine.
import { reasonOf } from '../../model/faults.ts';
import type { NodeChanges } from '../../model/records/node.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { NodeTask } from '../tasks/task.ts';

/** Called after the power state of the machine was read. A failing read is logged. */
export async function recordCondition(task: NodeTask): Promise<void> {
  const { node, services, log } = task;
  try {
    if (Object.keys(await changesOf(task)).length === 0) return;
    await withTaskIfFree(services, node.uuid, async (locked) => {
      // read again under the lock: the node may have changed since
      locked.store(await changesOf(locked));
    });
  } catch (error) {
    log.debug({ reason: reasonOf(error) }, 'the condition of the machine could not be read');
  }
}

async function changesOf({ node, driver, view }: NodeTask): Promise<NodeChanges> {
  const seen = (await driver.power.readCondition?.(view)) ?? {};
  return Object.fromEntries(
    Object.entries(seen).filter(([field, value]) => node[field as keyof typeof seen] !== value),
  );
}
