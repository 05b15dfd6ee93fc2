// The operations that all tables of records with a UUID have in common.
import { type FieldTable, storageOf } from '../../model/records/fields.ts';
import type { Connection } from '../open.ts';
import { type Condition, pageTail, type Paging } from './paging.ts';
import { columnsOf, type SqlValue, type Statements, statementsFor } from './rows.ts';

/** A page ends early when its records are large, because a thousand large records could use up all memory. */
const PAGE_CHARACTERS = 16_777_216;

export interface Table<R extends { readonly uuid: string }> {
  readonly columns: readonly (keyof R & string)[];
  insert(record: R): void;
  get(uuid: string): R | undefined;
  /** Returns a record whose column has the value. */
  findBy(column: keyof R & string, value: SqlValue): R | undefined;
  /** Returns false if there is no such record. */
  update(uuid: string, changes: Partial<R>): boolean;
  remove(uuid: string): boolean;
  /** Removes all records. */
  clear(): void;
  /** Returns one page of the records that meet all conditions, with the given columns only. */
  list(names: readonly (keyof R & string)[], conditions: readonly Condition[], paging: Paging): R[];
  /**
   * Like `list`, but returns stored values. If JSON columns are requested, the page ends early, after the row with which the total
   * length of all texts exceeds PAGE_CHARACTERS.
   */
  page(
    names: readonly (keyof R & string)[],
    conditions: readonly Condition[],
    paging: Paging,
  ): ReturnType<Statements<R>['rowsUpTo']>;
  /** Returns complete records that meet the condition, in creation order. */
  where(condition: Condition): R[];
}

export function createTable<R extends { readonly uuid: string }>(
  connection: Connection,
  name: string,
  fields: FieldTable,
): Table<R> {
  const columns = columnsOf<R>(fields);
  const statements = statementsFor<R>(connection, name, columns);
  const all = columns.names;
  const asJson = new Set<string>(
    Object.entries(fields).flatMap(([field, declared]) => (storageOf(declared) === 'json' ? [field] : [])),
  );
  return {
    columns: all,
    insert: (record) => statements.insert(record),
    get: (uuid) => statements.findBy('uuid', uuid),
    findBy: (column, value) => statements.findBy(column, value),
    update: (uuid, changes) => statements.update(changes, 'uuid = ?', uuid) === 1,
    remove: (uuid) => statements.run(`DELETE FROM ${name} WHERE uuid = ?`, uuid) === 1,
    clear() {
      statements.run(`DELETE FROM ${name}`);
    },
    list(names, conditions, paging) {
      const { sql, values } = pageTail(name, conditions, paging);
      return statements.select(names, sql, ...values);
    },
    page(names, conditions, paging) {
      const { sql, values } = pageTail(name, conditions, paging);
      const isNarrow = !names.some((each) => asJson.has(each));
      return isNarrow
        ? { rows: statements.rows(names, sql, ...values), isCut: false }
        : statements.rowsUpTo(PAGE_CHARACTERS, names, sql, ...values);
    },
    where: ({ sql, values }) => statements.select(all, `WHERE ${sql} ORDER BY id`, ...values),
  };
}

export type EqualFilters<R> = Partial<Readonly<Record<keyof R & string, SqlValue | boolean | undefined>>>;

/** Columns that have the same value in most nodes of a site. */
const ALIKE = /^driver$|^conductor_group$|_interface$/;

/** Each column must equal its value; null means unset, undefined means any value. */
export function equalConditions<R>(filters: EqualFilters<R>): Condition[] {
  return Object.entries<SqlValue | boolean | undefined>(filters).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [
          {
            sql: `${name} IS ?`,
            values: [typeof value === 'boolean' ? Number(value) : value],
            ...((value === false || ALIKE.test(name)) && { broad: name }),
          },
        ],
  );
}

/** The column's value is one of `values`. */
export function memberCondition(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

/** The row belongs to a node whose column has one of `values`. */
export function nodeCondition(column: 'shard' | 'conductor_group', values: readonly string[]): Condition {
  const ofNode = memberCondition(column, values);
  return { ...ofNode, sql: `node_uuid IN (SELECT uuid FROM nodes WHERE ${ofNode.sql})` };
}

export const descriptionCondition = (part: string): Condition => ({
  sql: 'description IS NOT NULL AND instr(lower(description), lower(?)) > 0',
  values: [part],
});
