// What the fake machine of the plugin `able` remembers between calls (in driver_internal_info), and the operation that a test makes
// fail (driver_info/failing).
import type { Json, JsonObject, Task } from '#plugin-api';

export function recall(task: Task, name: string, otherwise: Json): Json {
  return task.node.driver_internal_info[name] ?? otherwise;
}

export async function remember(task: Task, memory: JsonObject): Promise<void> {
  await task.update({ driver_internal_info: { ...task.node.driver_internal_info, ...memory } });
}

/** Adds one to a counter. */
export const count = (task: Task, name: string) =>
  remember(task, { [name]: Number(recall(task, name, 0)) + 1 });

/** Throws when `driver_info/failing` names the operation. */
export function failIfAsked(task: Task, operation: string): void {
  if (task.node.driver_info['failing'] === operation) throw new Error(`no luck with ${operation}`);
}
