// Stores in the node's record what its machine reports of health, boot mode and Secure Boot.
import { reasonOf } from '../../model/faults.ts';
import type { NodeChanges } from '../../model/records/node.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { LoopTask } from './services.ts';

/** Call it after reading the machine's power state. A failure is logged. */
export async function recordCondition(task: LoopTask): Promise<void> {
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

async function changesOf({ node, driver, view }: LoopTask): Promise<NodeChanges> {
  const seen = (await driver.power.readCondition?.(view)) ?? {};
  return Object.fromEntries(
    Object.entries(seen).filter(([field, value]) => node[field as keyof typeof seen] !== value),
  );
}
