// Converts between records and rows. Every field that is stored has a column.
import { type FieldTable, storageOf, type Storage } from '../model/records/fields.ts';

export type SqlValue = string | number | null;
/** The values of the requested columns, in the order in which the columns were requested. */
export type Row = readonly SqlValue[];

export interface Columns<R> {
  readonly names: readonly (keyof R & string)[];
  /** Returns a function that turns rows of these columns into records with exactly these fields. */
  decoder(names: readonly (keyof R & string)[]): (row: Row) => R;
  encode(name: keyof R & string, value: unknown): SqlValue;
  /** Returns a function that turns the column's values into JSON text. */
  jsonWriter(name: keyof R & string): (value: SqlValue) => string;
}

const EMPTY_OBJECT = Object.freeze({});
const EMPTY_LIST = Object.freeze([]);

export function columnsOf<R>(fields: FieldTable): Columns<R> {
  const storage = new Map<string, Storage>(
    Object.entries(fields)
      .filter(([, field]) => field.computed !== true)
      .map(([name, field]) => [name, storageOf(field)]),
  );
  return {
    names: [...storage.keys()] as (keyof R & string)[],
    decoder(names) {
      const kinds = names.map((name) => storage.get(name) ?? 'text');
      const empty = fixedShape(names);
      return (row) => {
        const record = { ...empty };
        for (const [index, kind] of kinds.entries()) {
          const value = row[index] ?? null;
          if (value !== null) record[names[index] ?? ''] = decodeValue(kind, value);
        }
        return record as R;
      };
    },
    encode(name, value) {
      const kind = storage.get(name);
      // names become part of SQL text, so only declared ones are allowed
      if (kind === undefined) throw new Error(`${name} is not a column`);
      return encodeValue(kind, value);
    },
    jsonWriter(name) {
      const kind = storage.get(name) ?? 'text';
      return (value) => jsonText(kind, value);
    },
  };
}

/** Returns a record with all fields null. Filling a copy is several times as fast as adding dozens of fields. */
const fixedShape = (names: readonly string[]): Record<string, unknown> =>
  JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as Record<string, null>;

function decodeValue(storage: Storage, value: string | number): unknown {
  if (storage === 'text') return value;
  if (storage === 'flag') return value === 1;
  if (value === '{}') return EMPTY_OBJECT;
  if (value === '[]') return EMPTY_LIST;
  return JSON.parse(value as string);
}

function jsonText(storage: Storage, value: SqlValue): string {
  if (value === null) return 'null';
  if (storage === 'json') return value as string;
  if (storage === 'flag') return value === 1 ? 'true' : 'false';
  return typeof value === 'number' || NEEDS_ESCAPES.test(value) ? JSON.stringify(value) : `"${value}"`;
}

// eslint-disable-next-line no-control-regex
const NEEDS_ESCAPES = /["\\\u0000-\u001f\ud800-\udfff]/;

function encodeValue(storage: Storage, value: unknown): SqlValue {
  if (storage === 'json') return JSON.stringify(value ?? {});
  if (typeof value === 'boolean') return value ? 1 : 0;
  return (value ?? null) as SqlValue;
}
