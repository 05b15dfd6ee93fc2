// Between records and rows: columns are the fields that are stored, and this is how each is encoded.
import { type FieldTable, storageOf, type Storage } from '../model/fields.ts';

export type SqlValue = string | number | null;
/** The values of columns, in the order in which they were asked for. */
export type Row = readonly SqlValue[];

export interface Columns<R> {
  readonly names: readonly (keyof R & string)[];
  /** What makes records of rows that have these columns; the records have nothing else. */
  decoder(names: readonly (keyof R & string)[]): (row: Row) => R;
  encode(name: keyof R & string, value: unknown): SqlValue;
  /** What makes JSON text of the column's values. */
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
      // names become SQL text: only declared ones may
      if (kind === undefined) throw new Error(`${name} is not a column`);
      return encodeValue(kind, value);
    },
    jsonWriter(name) {
      const kind = storage.get(name) ?? 'text';
      return (value) => jsonText(kind, value);
    },
  };
}

/** All null. Copies of it are filled several times as fast as objects that get dozens of names one by one. */
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
