// Between records and rows: columns are the fields that are stored, and this is how each is encoded.
import { type FieldTable, storageOf, type Storage } from '../model/fields.ts';

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Columns<R> {
  readonly names: readonly (keyof R & string)[];
  /** The part of a record that a row holds; the row may have been selected with some columns only. */
  decode(row: Row): R;
  encode(name: keyof R & string, value: unknown): SqlValue;
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
    decode(row) {
      const record: Record<string, unknown> = {};
      for (const name in row) record[name] = decodeValue(storage.get(name) ?? 'text', row[name] ?? null);
      return record as R;
    },
    encode(name, value) {
      const kind = storage.get(name);
      // names become SQL text: only declared ones may
      if (kind === undefined) throw new Error(`${name} is not a column`);
      return encodeValue(kind, value);
    },
  };
}

function decodeValue(storage: Storage, value: SqlValue): unknown {
  if (value === null || storage === 'text') return value;
  if (storage === 'flag') return value === 1;
  if (value === '{}') return EMPTY_OBJECT;
  if (value === '[]') return EMPTY_LIST;
  return JSON.parse(value as string);
}

function encodeValue(storage: Storage, value: unknown): SqlValue {
  if (storage === 'json') return JSON.stringify(value ?? {});
  if (typeof value === 'boolean') return value ? 1 : 0;
  return (value ?? null) as SqlValue;
}
