// One page of a list, ordered by any column and then by creation, continuing after a marker.
import type { SqlValue } from './rows.ts';

export interface Paging {
  readonly limit: number;
  /** The value of the sort column and the UUID of the last record on the previous page. */
  readonly after?: { readonly value: SqlValue; readonly uuid: string };
  /** A column of the table, or `id` for creation order. */
  readonly sortKey: string;
  readonly descending: boolean;
}

export interface Condition {
  readonly sql: string;
  /**
   * The column, if the condition matches most records: an index on the sort column is then more useful than an index on this
   * column.
   */
  readonly broad?: string;
  readonly values: readonly SqlValue[];
}

/** Returns `WHERE ... ORDER BY ... LIMIT` for `table`, with the conditions joined by AND. NULL sorts lowest. */
export function pageTail(
  table: string,
  conditions: readonly Condition[],
  paging: Paging,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { sortKey, descending, after, limit } = paging;
  const all = after === undefined ? conditions : [...conditions, beyond(table, sortKey, descending, after)];
  const where = all.length === 0 ? '' : `WHERE ${all.map((each) => sqlOf(each, sortKey)).join(' AND ')}`;
  const direction = descending ? 'DESC' : 'ASC';
  return {
    sql: `${where} ORDER BY ${sortKey} ${direction}${sortKey === 'id' ? '' : `, id ${direction}`} LIMIT ?`,
    values: [...all.flatMap(({ values }) => values), limit],
  };
}

/** A plus before a column keeps SQLite from using its index (sqlite.org/optoverview.html). */
function sqlOf({ sql, broad }: Condition, sortKey: string): string {
  return broad === undefined || sortKey === 'id' ? `(${sql})` : `(${sql.replace(broad, `+${broad}`)})`;
}

function beyond(
  table: string,
  key: string,
  descending: boolean,
  after: NonNullable<Paging['after']>,
): Condition {
  const id = `(SELECT id FROM ${table} WHERE uuid = ?)`;
  const sign = descending ? '<' : '>';
  if (key === 'id') return { sql: `id ${sign} ${id}`, values: [after.uuid] };
  const tie = `${key} IS ? AND id ${sign} ${id}`;
  if (after.value === null) {
    return descending
      ? { sql: tie, values: [null, after.uuid] }
      : { sql: `${key} IS NOT NULL OR (${tie})`, values: [null, after.uuid] };
  }
  const { value, uuid } = after;
  // in ascending order, an index leads straight to the marker
  return descending
    ? { sql: `${key} < ? OR ${key} IS NULL OR (${tie})`, values: [value, value, uuid] }
    : { sql: `${key} >= ? AND (${key} > ? OR id > ${id})`, values: [value, value, uuid] };
}
