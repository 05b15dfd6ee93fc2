// Checks the BIOS settings that a step is given, before they are sent.
import { type Json, type JsonObject } from '#plugin-api';
import { invalidSettings, settingsIn } from '../steps/requested.ts';
import type { Registry } from './registry.ts';

export type Attributes = Readonly<Record<string, Json>>;

/** Returns the attributes with the types of the registry. Throws an InvalidParameter that names every wrong attribute. */
export function requestedAttributes(given: JsonObject, registry: Registry): Attributes {
  const pairs = settingsIn(given, '{"name": ..., "value": ...}').map(({ name, value }) => {
    if (typeof name !== 'string' || value === undefined)
      throw invalidSettings('each must have a name and a value');
    return [name, typed(value, registry[name])] as const;
  });
  const flaws = pairs.flatMap(([name, value]) => {
    const flaw = flawIn(value, registry[name]);
    return flaw === undefined ? [] : [`${name}: ${flaw}`];
  });
  if (flaws.length > 0) throw invalidSettings(flaws.join('; '));
  return Object.fromEntries(pairs);
}

type Entry = Registry[string] | undefined;

/** Converts a text, as a command line sends it, to the type in the registry. */
function typed(value: Json, entry: Entry): Json {
  if (typeof value !== 'string') return value;
  if (entry?.attribute_type === 'Integer' && value.trim() !== '' && Number.isInteger(Number(value)))
    return Number(value);
  return entry?.attribute_type === 'Boolean' ? value.toLowerCase() === 'true' : value;
}

function flawIn(value: Json, entry: Entry): string | undefined {
  if (entry === undefined) return undefined;
  if (entry.read_only === true) return 'it is read-only';
  switch (entry.attribute_type) {
    case 'Enumeration':
      return enumerationFlaw(value, entry.allowable_values ?? []);
    case 'Integer':
      return boundsFlaw(typeof value === 'number' ? value : Number.NaN, entry.lower_bound, entry.upper_bound);
    case 'String':
      return typeof value === 'string'
        ? boundsFlaw(value.length, entry.min_length, entry.max_length, ' characters')
        : 'expected a text';
    default:
      return undefined;
  }
}

const enumerationFlaw = (value: Json, allowed: readonly unknown[]): string | undefined =>
  allowed.length === 0 || allowed.includes(value)
    ? undefined
    : `${JSON.stringify(value)}; expected one of ${allowed.join(', ')}`;

function boundsFlaw(
  number: number,
  lower: number | null | undefined,
  upper: number | null | undefined,
  unit = '',
): string | undefined {
  if (number >= (lower ?? Number.NEGATIVE_INFINITY) && number <= (upper ?? Number.POSITIVE_INFINITY))
    return undefined;
  return `expected from ${lower ?? 'any'} to ${upper ?? 'any'}${unit}`;
}
