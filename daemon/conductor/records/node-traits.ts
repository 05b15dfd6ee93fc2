// Changes the traits of a node under its lock.
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { canonicalTraits } from './node-field-rules.ts';
import type { RecordServices } from './services.ts';

/** Stores the result of `change` as the node's traits, sorted, without duplicates. Throws when there are too many. */
export function changeTraits(
  call: Call<RecordServices>,
  uuid: string,
  change: (traits: readonly string[]) => readonly string[],
): Promise<void> {
  return withTask(call, uuid, (task) => task.store({ traits: canonicalTraits(change(task.node.traits)) }));
}
