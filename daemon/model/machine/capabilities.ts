// A node's capabilities: names and values, as in `boot_mode:uefi,cpu_vt:true`.
import { fault } from '../faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Node } from '../records/node.ts';

/**
 * Returns the capability in the node's `instance_info`, else the one in `properties`; undefined when neither has it. Throws
 * InvalidParameter when the capabilities in `instance_info` are malformed; malformed ones in `properties` are ignored.
 */
export function capabilityOf(node: Node, name: string): string | undefined {
  const { instance_info: instance, properties } = node;
  const ofInstance = parseCapabilities(instance['capabilities'] ?? '');
  if (ofInstance === undefined)
    throw fault('InvalidParameter', {
      name: 'instance_info/capabilities',
      reason:
        'expected an object such as {"boot_mode": "uefi"}, or text such as boot_mode:uefi,secure_boot:true',
    });
  return ofInstance.get(name) ?? parseCapabilities(properties['capabilities'] ?? '')?.get(name);
}

/** Reads capabilities from an object, from JSON text, or from plain text; undefined when they are malformed. */
export function parseCapabilities(given: Json): ReadonlyMap<string, string> | undefined {
  const object = typeof given === 'string' && given.trimStart().startsWith('{') ? parsed(given) : given;
  if (isJsonObject(object)) return fromObject(object);
  if (typeof object !== 'string') return undefined;
  const pairs = object
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map(pairIn);
  return pairs.includes(undefined) ? undefined : new Map(pairs.filter((pair) => pair !== undefined));
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

const fromObject = (object: JsonObject): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(object).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

function pairIn(text: string): [string, string] | undefined {
  const [name = '', ...value] = text.split(':');
  return name.trim() === '' || value.length === 0 ? undefined : [name.trim(), value.join(':').trim()];
}

/** Returns `text` with the capability `name` set to `value`, or without this capability if `value` is undefined. */
export function withCapability(text: string, name: string, value: string | undefined): string {
  const entries = text.split(',').filter((entry) => entry !== '');
  const isEarlier = (entry: string) => entry.split(':', 1)[0]?.trim() === name;
  const others = entries.filter((entry) => !isEarlier(entry));
  if (value === undefined) return others.join(',');
  const place = entries.findIndex(isEarlier);
  return others.toSpliced(place < 0 ? others.length : place, 0, `${name}:${value}`).join(',');
}
