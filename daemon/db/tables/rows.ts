// Rows of a table as records: what each column stores, and the SQL statements that read and write rows. Every field that is stored has
// a column.
import type { Statement } from 'better-sqlite3';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import { type FieldTable, storageOf, type Storage } from '../../model/records/fields.ts';
import type { Connection } from '../open.ts';

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

export interface Statements<R> {
  insert(record: R): void;
  /** Sets the given columns of the rows that match `where` and returns the number of changed rows. */
  update(changes: Partial<R>, where: string, ...parameters: readonly SqlValue[]): number;
  /** Returns rows with the given columns only. */
  rows(names: readonly (keyof R & string)[], tail: string, ...parameters: readonly SqlValue[]): Row[];
  /** Like `rows`, but stops after the row with which the total length of all texts exceeds `characters`. */
  rowsUpTo(
    characters: number,
    names: readonly (keyof R & string)[],
    tail: string,
    ...parameters: readonly SqlValue[]
  ): { readonly rows: Row[]; readonly isCut: boolean };
  /** Like `rows`, but returns records. */
  select(names: readonly (keyof R & string)[], tail: string, ...parameters: readonly SqlValue[]): R[];
  /** Returns a record whose column has the value. */
  findBy(column: keyof R & string, value: SqlValue): R | undefined;
  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly SqlValue[]): number;
}

/** Clients choose the columns and filters of lists, so the number of different statements has no limit of its own. */
const MOST_STATEMENTS = 500;

/** A statement that selects columns, and what makes records of its rows. */
interface Selection<R> {
  readonly statement: Statement;
  readonly decode: (row: Row) => R;
}

function selectionsOf<R>(connection: Connection, table: string, columns: Columns<R>) {
  const recent = new RecentMap<string, Selection<R>>(MOST_STATEMENTS);
  const finders = new Map<string, Selection<R>>();
  const select = (names: readonly (keyof R & string)[], tail: string): Selection<R> => ({
    statement: connection.prepare(`SELECT ${names.join(', ')} FROM ${table} ${tail}`).raw(),
    decode: columns.decoder(names),
  });
  const selection = (names: readonly (keyof R & string)[], tail: string): Selection<R> => {
    const key = `${names.join()} ${tail}`;
    const known = recent.get(key) ?? select(names, tail);
    recent.set(key, known);
    return known;
  };
  /** Selects a whole record by one column: the most frequent selections. */
  const finder = (column: keyof R & string): Selection<R> => {
    const known = finders.get(column) ?? select(columns.names, `WHERE ${column} = ? LIMIT 1`);
    finders.set(column, known);
    return known;
  };
  return { selection, finder };
}

export function statementsFor<R extends object>(
  connection: Connection,
  table: string,
  columns: Columns<R>,
): Statements<R> {
  const prepared = new RecentMap<string, Statement>(MOST_STATEMENTS);
  const prepare = (sql: string) => {
    const known = prepared.get(sql) ?? connection.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const { selection, finder } = selectionsOf(connection, table, columns);
  const encoded = (changes: Partial<R>) =>
    Object.entries(changes).map(([name, value]): [string, SqlValue] => [
      name,
      columns.encode(name as keyof R & string, value),
    ]);
  return {
    insert(record) {
      const pairs = encoded(record);
      const names = pairs.map(([name]) => name).join(', ');
      const places = pairs.map(() => '?').join(', ');
      prepare(`INSERT INTO ${table} (${names}) VALUES (${places})`).run(...pairs.map(([, value]) => value));
    },
    update(changes, where, ...parameters) {
      const pairs = encoded(changes);
      const assignments = pairs.map(([name]) => `${name} = ?`).join(', ');
      const values = pairs.map(([, value]) => value);
      return prepare(`UPDATE ${table} SET ${assignments} WHERE ${where}`).run(...values, ...parameters)
        .changes;
    },
    rows: (names, tail, ...parameters) => selection(names, tail).statement.all(...parameters) as Row[],
    rowsUpTo(characters, names, tail, ...parameters) {
      const found: Row[] = [];
      let size = 0;
      for (const row of selection(names, tail).statement.iterate(...parameters) as IterableIterator<Row>) {
        found.push(row);
        for (const value of row) if (typeof value === 'string') size += value.length;
        if (size > characters) return { rows: found, isCut: true };
      }
      return { rows: found, isCut: false };
    },
    select(names, tail, ...parameters) {
      const { statement, decode } = selection(names, tail);
      return (statement.all(...parameters) as Row[]).map(decode);
    },
    findBy(column, value) {
      const { statement, decode } = finder(column);
      const row = statement.get(value) as Row | undefined;
      return row === undefined ? undefined : decode(row);
    },
    run: (sql, ...parameters) => prepare(sql).run(...parameters).changes,
  };
}
