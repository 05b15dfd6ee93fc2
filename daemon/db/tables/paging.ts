// One page of a list: order by any column with the creation order as tie-break, continue after a marker.
import type { SqlValue } from '../columns.ts';

export interface Paging {
  readonly limit: number;
  /** The last record of the previous page: its value in the sort column, and its uuid. */
  readonly after?: { readonly value: SqlValue; readonly uuid: string };
  /** A column of the table, or `id` for the order of creation. */
  readonly sortKey: string;
  readonly descending: boolean;
}

export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** `WHERE ... ORDER BY ... LIMIT` for `table` with the conditions joined by AND. NULL sorts lowest. */
export function pageTail(
  table: string,
  conditions: readonly Condition[],
  paging: Paging,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { sortKey, descending, after, limit } = paging;
  const all = after === undefined ? conditions : [...conditions, beyond(table, sortKey, descending, after)];
  const where = all.length === 0 ? '' : `WHERE ${all.map(({ sql }) => `(${sql})`).join(' AND ')}`;
  const direction = descending ? 'DESC' : 'ASC';
  return {
    sql: `${where} ORDER BY ${sortKey} ${direction}${sortKey === 'id' ? '' : `, id ${direction}`} LIMIT ?`,
    values: [...all.flatMap(({ values }) => values), limit],
  };
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
  const orNull = descending ? ` OR ${key} IS NULL` : '';
  return {
    sql: `${key} ${sign} ?${orNull} OR (${tie})`,
    values: [after.value, after.value, after.uuid],
  };
}
