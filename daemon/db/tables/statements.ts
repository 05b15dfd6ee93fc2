// The SQL statements of a table. The most recently used ones stay prepared.
import type { Statement } from 'better-sqlite3';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import type { Columns, Row, SqlValue } from '../columns.ts';
import type { Connection } from '../open.ts';

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
  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly SqlValue[]): number;
}

/** Clients choose the columns and filters of lists, so the number of different statements has no limit of its own. */
const MOST_STATEMENTS = 500;

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
  const selection = (names: readonly (keyof R & string)[], tail: string) =>
    prepare(`SELECT ${names.join(', ')} FROM ${table} ${tail}`).raw();
  const rows: Statements<R>['rows'] = (names, tail, ...parameters) =>
    selection(names, tail).all(...parameters) as Row[];
  const decoders = new RecentMap<string, (row: Row) => R>(MOST_STATEMENTS);
  const decoder = (names: readonly (keyof R & string)[]) => {
    const key = names.join();
    const known = decoders.get(key) ?? columns.decoder(names);
    decoders.set(key, known);
    return known;
  };
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
    rows,
    rowsUpTo(characters, names, tail, ...parameters) {
      const found: Row[] = [];
      let size = 0;
      for (const row of selection(names, tail).iterate(...parameters) as IterableIterator<Row>) {
        found.push(row);
        for (const value of row) if (typeof value === 'string') size += value.length;
        if (size > characters) return { rows: found, isCut: true };
      }
      return { rows: found, isCut: false };
    },
    select: (names, tail, ...parameters) => rows(names, tail, ...parameters).map(decoder(names)),
    run: (sql, ...parameters) => prepare(sql).run(...parameters).changes,
  };
}

/** Returns the UNIQUE column that made a write fail; undefined if the write failed for another reason. */
export function collidingColumn(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'SQLITE_CONSTRAINT_UNIQUE')
    return undefined;
  return /UNIQUE constraint failed: \w+\.(\w+)/.exec(error.message)?.[1];
}
