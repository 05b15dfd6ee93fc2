// The root device hints of a node: they choose the disk that an instance is written to.
import { diskTest, type Json, type Task } from '#plugin-api';

/** Hints, and the path of the field that has them, such as `properties/root_device`. */
interface RootDeviceHints {
  readonly property: string;
  readonly hints: Json;
}

/** Returns the hints in `instance_info`, or else those in `properties`; undefined if neither has any. They may be invalid. */
export function rootDeviceHints({ node }: Pick<Task, 'node'>): RootDeviceHints | undefined {
  for (const field of ['instance_info', 'properties'] as const) {
    const hints = node[field]['root_device'] ?? {};
    if (JSON.stringify(hints) !== '{}') return { property: `${field}/root_device`, hints };
  }
  return undefined;
}

/** Throws InvalidParameter for invalid hints. The agent would report them only much later. */
export function checkRootDevice(task: Task): void {
  const given = rootDeviceHints(task);
  if (given !== undefined) diskTest(given.property, given.hints);
}
