// The kinds of parameters, in queries and in bodies: the schema of each, and the conversion of what a client sent.
import type { Schema } from '../lib/json/typed-schema.ts';
import { parseMac } from '../lib/network/mac.ts';
import { parseUuid } from '../lib/uuid.ts';
import { booleanOf } from '../lib/words.ts';
import { fault } from '../model/faults.ts';
import { shownValue } from '../model/secrets.ts';
import { flagSchema, listSchema, textSchema } from './schema-parts.ts';

/** The type of the converted value. */
export interface KindValues {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  /** The items of a text in which commas separate them: without duplicates, in lower case. */
  readonly list: readonly string[];
  /**
   * Like `list`, plus each name as it was sent: Ironic makes names lower case before it looks them up, but stored names may have
   * upper case.
   */
  readonly names: readonly string[];
  /** A JSON array. */
  readonly array: readonly unknown[];
  readonly uuid: string;
  readonly mac: string;
  readonly any: unknown;
}

interface Kind<T> {
  readonly schema: Schema;
  /** Throws InvalidParameter, InvalidUuid or InvalidMac. */
  readonly convert: (name: string, value: unknown) => T;
}

export const parameterKinds: { readonly [K in keyof KindValues]: Kind<KindValues[K]> } = {
  text: { schema: textSchema, convert: parseText },
  flag: { schema: flagSchema, convert: parseFlag },
  integer: { schema: { type: 'integer' }, convert: parseInteger },
  list: { schema: listSchema(textSchema), convert: (name, value) => parseList(parseText(name, value)) },
  names: {
    schema: listSchema(textSchema),
    convert: (name, value) => {
      const text = parseText(name, value);
      return [...new Set([...itemsOf(text), ...parseList(text)])];
    },
  },
  array: { schema: { type: 'array' }, convert: parseArray },
  uuid: {
    schema: { type: 'string', format: 'uuid' },
    convert: (name, value) => parseUuidOrThrow(parseText(name, value)),
  },
  mac: {
    schema: { type: 'string', pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$' },
    convert: (name, value) => parseMacOrThrow(parseText(name, value)),
  },
  any: { schema: {}, convert: (_, value) => value },
};

const wrong = (name: string, value: unknown, expected: string) =>
  fault('InvalidParameter', { name, reason: `${shownValue(name, value)} is not ${expected}` });

function parseText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrong(name, value, 'a string');
  return value;
}

function parseArray(name: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(name, value, 'a list');
  return value as readonly unknown[];
}

const itemsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const parseList = (text: string): readonly string[] => [...new Set(itemsOf(text.toLowerCase()))];

/** Whether a parameter of this kind is a list whose items are separated by commas in a query. */
export const isList = (kind: keyof KindValues): boolean => kind === 'list' || kind === 'names';

function parseFlag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const isText = typeof value === 'string' || typeof value === 'number';
  const flag = isText ? booleanOf(String(value)) : undefined;
  if (flag === undefined)
    throw fault('InvalidParameter', { name, reason: `${JSON.stringify(value)} is not a boolean` });
  return flag;
}

function parseInteger(name: string, value: unknown): number {
  const number =
    typeof value === 'number' ? value : Number(/^-?\d{1,15}$/.test(String(value)) ? value : Number.NaN);
  if (!Number.isSafeInteger(number)) {
    throw fault('InvalidParameter', {
      name,
      reason: `Expected an integer but received ${JSON.stringify(value)}`,
    });
  }
  return number;
}

export function parseUuidOrThrow(value: string): string {
  const uuid = parseUuid(value);
  if (uuid === undefined) throw fault('InvalidUuid', { value });
  return uuid;
}

export function parseMacOrThrow(value: string): string {
  const mac = parseMac(value);
  if (mac === undefined) throw fault('InvalidMac', { value });
  return mac;
}
