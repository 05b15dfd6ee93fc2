// Changes the traits of a node under its lock.
import { fault } from '../../model/faults.ts';
import { MAXIMUM_TRAITS_OF_NODE } from '../../model/traits.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import type { NodeTask } from '../tasks/task.ts';

/** Stores the result of `change` as the node's traits, sorted, without duplicates. Throws when there are too many. */
export function changeTraits(
  services: Services,
  caller: Caller,
  uuid: string,
  change: (traits: readonly string[]) => readonly string[],
): Promise<void> {
  return withTask({ services, caller }, uuid, (task) => storeTraits(task, change(task.node.traits)));
}

/** As `changeTraits`, for a node that the caller has locked. */
export function storeTraits(task: NodeTask, given: readonly string[]): void {
  const traits = [...new Set(given)].toSorted();
  if (traits.length > MAXIMUM_TRAITS_OF_NODE) {
    throw fault('InvalidParameter', {
      name: 'traits',
      reason: `node ${task.node.uuid} would have ${traits.length} traits; ${MAXIMUM_TRAITS_OF_NODE} are allowed`,
    });
  }
  task.store({ traits });
}
