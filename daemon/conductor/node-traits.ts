// Traits of a node: changed under its lock.
import { fault } from '../model/faults.ts';
import { MAXIMUM_TRAITS_OF_NODE } from '../model/traits.ts';
import { withTask } from './run-task.ts';
import type { Caller, Services } from './services.ts';
import type { NodeTask } from './task.ts';

/** Stores what `change` makes of the node's traits, each once and sorted. Throws when they are more than a node may have. */
export function changeTraits(
  services: Services,
  caller: Caller,
  uuid: string,
  change: (traits: readonly string[]) => readonly string[],
): Promise<void> {
  return withTask(services, caller, uuid, (task) => storeTraits(task, change(task.node.traits)));
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
