// Checks the BIOS settings that a step is given, before they are sent.
import { booleanOf, type Json, type JsonObject } from '#plugin-api';
import { invalidSettings, settingsIn } from '../steps/requested.ts';
import type { BiosRegistry } from './registry.ts';

export type Attributes = Readonly<Record<string, Json>>;

/**
 * Returns the attributes with the types of the registry. Throws InvalidParameter when `given` has no list of settings, or an entry
 * lacks a name or a value. Attributes that are read-only or have wrong values are all named in one InvalidParameter.
 */
export function requestedAttributes(given: JsonObject, registry: BiosRegistry): Attributes {
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

type Entry = BiosRegistry[string] | undefined;

/** Converts a text, as a command line sends it, to the type in the registry. */
function typed(value: Json, entry: Entry): Json {
  if (typeof value !== 'string') return value;
  if (entry?.attribute_type === 'Integer' && value.trim() !== '' && Number.isInteger(Number(value)))
    return Number(value);
  return entry?.attribute_type === 'Boolean' ? (booleanOf(value) ?? value) : value;
}

function flawIn(value: Json, entry: Entry): string | undefined {
  if (entry === undefined) return undefined;
  if (entry.read_only === true) return 'it is read-only';
  return flawsOfType.get(entry.attribute_type ?? '')?.(value, entry);
}

type FlawOf = (value: Json, entry: NonNullable<Entry>) => string | undefined;

/** How values are checked, by the type of the attribute. Values of other types are not checked. */
const flawsOfType: ReadonlyMap<string, FlawOf> = new Map<string, FlawOf>([
  ['Enumeration', (value, { allowable_values: allowed }) => enumerationFlaw(value, allowed ?? [])],
  [
    'Integer',
    (value, { lower_bound: least, upper_bound: most }) =>
      boundsFlaw(Number.isInteger(value) ? Number(value) : NaN, 'a whole number', { least, most }),
  ],
  ['Boolean', (value) => (typeof value === 'boolean' ? undefined : 'expected true or false')],
  [
    'String',
    (value, { min_length: least, max_length: most }) =>
      typeof value === 'string'
        ? boundsFlaw(value.length, 'a number of characters', { least, most })
        : 'expected a text',
  ],
]);

const enumerationFlaw = (value: Json, allowed: readonly unknown[]): string | undefined =>
  allowed.length === 0 || allowed.includes(value)
    ? undefined
    : `${JSON.stringify(value)}; expected one of ${allowed.join(', ')}`;

interface Bounds {
  readonly least: number | null | undefined;
  readonly most: number | null | undefined;
}

/** `what`: what the message says is expected, such as `a whole number`. */
function boundsFlaw(number: number, what: string, { least, most }: Bounds): string | undefined {
  if (number >= (least ?? Number.NEGATIVE_INFINITY) && number <= (most ?? Number.POSITIVE_INFINITY))
    return undefined;
  const from = typeof least === 'number' ? ` from ${least}` : '';
  return `expected ${what}${from}${typeof most === 'number' ? ` up to ${most}` : ''}`;
}
