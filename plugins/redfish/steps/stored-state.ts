// Keeps the state of a waiting step in driver_internal_info, so that the state survives a restart of the daemon.
import type { JsonObject, Task } from '#plugin-api';

export interface StoredState<T extends JsonObject> {
  /** Returns undefined when the step is not under way. */
  of(task: Task): T | undefined;
  store(task: Task, state: T): Promise<void>;
  change(task: Task, changes: Partial<T>): Promise<void>;
  remove(task: Task): Promise<void>;
}

/** `tasksOf`: returns the paths of the BMC's tasks that the step waits for; the node's record names them to operators. */
export function storedState<T extends JsonObject>(
  key: string,
  tasksOf?: (state: T) => readonly string[],
): StoredState<T> {
  const put = async (task: Task, state: T | undefined) => {
    const { [key]: _, ...rest } = task.node.driver_internal_info as JsonObject;
    const { bmc_tasks: __, ...others } = rest;
    const tasks = state === undefined ? [] : (tasksOf?.(state) ?? []);
    await task.update({
      driver_internal_info: {
        ...(tasksOf === undefined ? rest : others),
        ...(state !== undefined && { [key]: state }),
        ...(tasks.length > 0 && { bmc_tasks: tasks }),
      },
    });
  };
  const of = (task: Task) => task.node.driver_internal_info[key] as T | undefined;
  return {
    of,
    store: put,
    change: (task, changes) => put(task, { ...(of(task) as T), ...changes }),
    remove: (task) => put(task, undefined),
  };
}
