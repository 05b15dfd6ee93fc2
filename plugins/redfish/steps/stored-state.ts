// Keeps the state of a waiting step in driver_internal_info, so that the state survives a restart of the daemon.
import type { JsonObject, Task } from '#plugin-api';

export interface StoredState<T extends JsonObject> {
  /** Returns undefined when the step is not under way. */
  of(task: Task): T | undefined;
  store(task: Task, state: T): Promise<void>;
  change(task: Task, changes: Partial<T>): Promise<void>;
  remove(task: Task): Promise<void>;
}

export function storedState<T extends JsonObject>(key: string): StoredState<T> {
  const put = async (task: Task, state: T | undefined) => {
    const { [key]: _, ...rest } = task.node.driver_internal_info as JsonObject;
    await task.update({ driver_internal_info: { ...rest, ...(state !== undefined && { [key]: state }) } });
  };
  const of = (task: Task) => task.node.driver_internal_info[key] as T | undefined;
  return {
    of,
    store: put,
    change: (task, changes) => put(task, { ...(of(task) as T), ...changes }),
    remove: (task) => put(task, undefined),
  };
}
