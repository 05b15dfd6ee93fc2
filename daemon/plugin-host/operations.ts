// What the object of an entry point must have, checked at start: a plugin may be plain JavaScript.
import { isJsonObject } from '../model/json.ts';
import type { EntryPointGroup } from './manifest.ts';

type Operations = Readonly<Partial<Record<EntryPointGroup, readonly string[]>>>;

const operations: Operations = {
  'ironic.hardware.interfaces.power': ['getPowerState', 'setPowerState'],
  'ironic.hardware.interfaces.management': ['supportedBootDevices', 'getBootDevice', 'setBootDevice'],
  'ironic.hardware.interfaces.inspect': ['inspectHardware'],
};

/** The first thing that `value` lacks to stand in `group`; undefined when it is complete. */
export function missingOperation(
  group: EntryPointGroup,
  value: Readonly<Record<string, unknown>>,
): string | undefined {
  if (group === 'ironic.inspection.hooks') {
    const phases = [value['preprocess'], value['call']].filter((phase) => phase !== undefined);
    const fits = phases.length > 0 && phases.every((phase) => typeof phase === 'function');
    return fits ? undefined : 'a function preprocess or call';
  }
  if (!isJsonObject(value['properties'])) return 'the object properties';
  const needed = ['validate', ...(operations[group] ?? [])];
  const missing = needed.find((name) => typeof value[name] !== 'function');
  return missing === undefined ? undefined : `the function ${missing}`;
}
