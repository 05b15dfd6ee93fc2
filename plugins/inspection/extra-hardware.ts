// The `extra-hardware` hook: turns the rows of hardware-detect (plugin data `data`) into nested plugin data `extra`.
import { defineHook, type InspectionDraft, type Json } from '#plugin-api';
import { options } from './options.ts';
import { shown } from './shown.ts';

export const extraHardware = defineHook({
  call(draft) {
    const { data } = draft.pluginData;
    const isStrict = options(draft).extra_hardware_strict;
    if (data === undefined) {
      draft.warn('No extra hardware data: enable the collector extra-hardware of the ramdisk.');
    } else if (isTable(data, isStrict)) {
      draft.pluginData['extra'] = nested(draft, data);
      delete draft.pluginData['data'];
    } else {
      const expected = isStrict ? 'a list of lists of four values' : 'a list of lists';
      draft.warn(`Extra hardware data is ${shown(data)}, expected ${expected}.`);
      if (isStrict) delete draft.pluginData['data'];
    }
  },
});

type Row = readonly Json[];

const isTable = (value: Json, isStrict: boolean): value is readonly Row[] =>
  Array.isArray(value) &&
  (value as readonly Json[]).every((row) => Array.isArray(row) && (!isStrict || row.length === 4));

type Branch = Map<string, Branch | Json>;

function nested(draft: InspectionDraft, rows: readonly Row[]): Json {
  const root: Branch = new Map();
  for (const row of rows) {
    const [first, second, third, value] = row;
    if (first === undefined) continue;
    const parent = second === undefined ? undefined : branch(branch(root, first), second);
    if (parent === undefined) branch(root, first);
    else if (third !== undefined && value !== undefined) parent.set(keyOf(third), numberIn(value));
    if (row.length < 4) draft.warn(`Extra hardware data has a short row: ${shown(row)}`);
  }
  return plain(root);
}

/** Returns the branch under `key`; creates it if it is missing. The first two levels are always branches. */
function branch(parent: Branch, key: Json): Branch {
  const name = keyOf(key);
  const known = parent.get(name);
  if (known instanceof Map) return known;
  const created: Branch = new Map();
  parent.set(name, created);
  return created;
}

const keyOf = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

const plain = (value: Branch | Json): Json =>
  value instanceof Map ? Object.fromEntries([...value].map(([key, part]) => [key, plain(part)])) : value;

/**
 * Converts a value to a whole number: true to 1, false to 0, and text that is a whole number to that number. Cuts off the fraction
 * of a number. Returns other values unchanged.
 */
function numberIn(value: Json): Json {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Math.trunc(value);
  const isWhole = typeof value === 'string' && /^[+-]?\d+(_\d+)*$/.test(value.trim());
  const number = isWhole ? Number(value.replaceAll('_', '')) : Number.NaN;
  return Number.isSafeInteger(number) ? number : value;
}
