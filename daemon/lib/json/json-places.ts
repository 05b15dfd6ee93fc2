// Finds where a value of a JSON text is, and where a text stops being JSON, for messages with line and column.
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

// loaded when a text has a flaw, so that a start does not wait for it
const require = createRequire(import.meta.url);
const yaml = () => require('yaml') as typeof Yaml;

/** A longer text is not searched; its flaws are reported at its start. */
const LONGEST = 100_000;

/** Returns `FILE:LINE:COLUMN`, as editors and terminals understand it. Line and column are counted from 1. */
export function placeIn(file: string, text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `${file}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

/** Returns the offset of the flaw that `error`, thrown by JSON.parse, complains of; 0 if it cannot be found. */
export function offsetOfFlaw(text: string, error: unknown): number {
  const [, position] = / at position (\d+)/.exec(String(error)) ?? [];
  return position === undefined ? (parsed(text)?.errors[0]?.pos[0] ?? 0) : Number(position);
}

/** Returns the offset of the value at a JSON pointer, or of its key if it is a member of an object; 0 if there is none. */
export function placeOf(text: string, pointer: string): number {
  const names = pointer.split('/').slice(1).map(outOfPointer);
  let place: Yaml.Node | null = parsed(text)?.contents ?? null;
  let offset = startOf(place) ?? 0;
  for (const name of names) {
    const { key, value } = memberOf(place, name);
    offset = startOf(key) ?? startOf(value) ?? offset;
    place = value;
  }
  return offset;
}

const startOf = (node: Yaml.Node | null): number | undefined => node?.range?.[0];

/** Returns the member of an object, or the item of a list; null where there is none, and for the key of an item. */
function memberOf(place: Yaml.Node | null, name: string): Record<'key' | 'value', Yaml.Node | null> {
  const { isMap, isNode, isSeq } = yaml();
  const nodeOrNull = (found: unknown) => (isNode(found) ? found : null);
  if (isSeq(place)) return { key: null, value: nodeOrNull(place.get(Number(name), true)) };
  const pair = isMap(place) ? place.items.find(({ key }) => isNode(key) && String(key) === name) : undefined;
  return { key: nodeOrNull(pair?.key), value: nodeOrNull(pair?.value) };
}

const parsed = (text: string) =>
  text.length > LONGEST ? undefined : yaml().parseDocument(text, { schema: 'json', prettyErrors: false });

/** Returns the key as it stands in a JSON pointer (RFC 6901). */
export const inPointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const outOfPointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
