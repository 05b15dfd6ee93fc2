// What a visitor wants of the list of machines, as its address says it: which machines, in what order, with which columns.
import { naturalOrder } from '../../lib/natural-order.ts';
import { isUnstable } from '../../model/states/provision-states.ts';
import type { MachineRow } from './machine-rows.ts';
import { hasProblem, labelOf } from './machines.ts';

export const columnNames = [
  'state',
  'power',
  'class',
  'hardware',
  'image',
  'inlet',
  'rack',
  'driver',
  'uuid',
] as const;
export type ColumnName = (typeof columnNames)[number];
const SHOWN_AT_FIRST: readonly ColumnName[] = ['state', 'power', 'class', 'hardware', 'image', 'inlet'];

export const groupNames = ['rack', 'class', 'state', 'image'] as const;
export type GroupName = (typeof groupNames)[number];

/** Filters by one value that machines have. */
export const valueFilters = ['state', 'class', 'image', 'rack', 'driver'] as const;
export type ValueFilter = (typeof valueFilters)[number];

export const onlyFilters = ['problems', 'working', 'maintenance'] as const;
export type OnlyFilter = (typeof onlyFilters)[number];

export interface MachineQuery {
  /** The text of the search; empty without one. */
  readonly q: string;
  readonly values: Readonly<Partial<Record<ValueFilter, string>>>;
  readonly only: OnlyFilter | undefined;
  readonly group: GroupName | undefined;
  /** `name` for the column with the names of machines. */
  readonly sort: ColumnName | 'name' | undefined;
  readonly descending: boolean;
  readonly columns: readonly ColumnName[];
  /** The rack that is drawn. */
  readonly draw: string | undefined;
  /** The action that the visitor chose without a machine. */
  readonly action: string | undefined;
}

const LONGEST_QUERY = 100;

/** Values that mean nothing here are left out. */
export function machineQuery(parameters: URLSearchParams): MachineQuery {
  const text = (name: string) => parameters.get(name) || undefined;
  const sort = text('sort');
  const columns = columnNames.filter((name) => parameters.getAll('column').includes(name));
  return {
    q: (parameters.get('q') ?? '').trim().slice(0, LONGEST_QUERY),
    values: Object.fromEntries(
      valueFilters.flatMap((name) => {
        const value = text(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    only: onlyFilters.find((each) => each === text('only')),
    group: groupNames.find((each) => each === text('group')),
    sort: (['name', ...columnNames] as const).find((each) => each === sort?.replace(/^-/, '')),
    descending: sort?.startsWith('-') === true,
    columns: columns.length === 0 ? SHOWN_AT_FIRST : columns,
    draw: text('draw'),
    action: text('action'),
  };
}

/** Returns the address of the list with some of what the query asks for changed; undefined takes it away. */
export function machinesAddress(
  query: MachineQuery,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const set = queryText(query, changes);
  return set === '' ? '/ui/' : `/ui/?${set}`;
}

/** Like `machinesAddress`, without the path and the question mark. */
export function queryText(
  query: MachineQuery,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const { q, values, only, group, sort, descending, columns, draw } = query;
  const given: Readonly<Record<string, string | undefined>> = {
    q,
    ...values,
    only,
    group,
    sort: sort === undefined ? undefined : `${descending ? '-' : ''}${sort}`,
    draw,
    ...changes,
  };
  const set = new URLSearchParams(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
  if (columns !== SHOWN_AT_FIRST) for (const name of columns) set.append('column', name);
  return set.toString();
}

/** The value that a machine has where a filter or a group wants one; empty if it has none. */
export const valueOf: Readonly<Record<ValueFilter, (row: MachineRow) => string>> = {
  state: ({ state }) => state,
  class: ({ resourceClass }) => resourceClass ?? '',
  image: ({ image }) => image ?? '',
  rack: ({ rack }) => rack,
  driver: ({ driver }) => driver,
};

export const fitsOnly: Readonly<Record<OnlyFilter, (row: MachineRow) => boolean>> = {
  problems: hasProblem,
  working: ({ state }) => isUnstable(state),
  maintenance: ({ maintenance }) => maintenance,
};

/** `found`: the UUIDs that the search has found; undefined without a search. */
export function selectRows(
  rows: readonly MachineRow[],
  { values, only, sort, descending }: MachineQuery,
  found: ReadonlySet<string> | undefined,
): readonly MachineRow[] {
  const wanted = Object.entries(values) as readonly (readonly [ValueFilter, string])[];
  const selected = rows.filter(
    (row) =>
      found?.has(row.uuid) !== false &&
      (only === undefined || fitsOnly[only](row)) &&
      wanted.every(([name, value]) => valueOf[name](row) === value),
  );
  return sort === undefined ? selected : sorted(selected, sortValues[sort], descending);
}

type SortValue = string | number | null;

const sortValues: Readonly<Record<ColumnName | 'name', (row: MachineRow) => SortValue>> = {
  name: labelOf,
  state: ({ state }) => state,
  power: ({ power, watts }) => watts ?? (power === 'power on' ? 0 : -1),
  class: ({ resourceClass }) => resourceClass,
  hardware: ({ hardware }) => hardware?.cores ?? hardware?.threads ?? null,
  image: ({ image }) => image,
  inlet: ({ inlet }) => inlet,
  rack: ({ rack, unit }) => `${rack} ${String(unit ?? 0).padStart(3, '0')}`,
  driver: ({ driver }) => driver,
  uuid: ({ uuid }) => uuid,
};

/** Machines without a value come last, in both directions. */
function sorted(
  rows: readonly MachineRow[],
  valueIn: (row: MachineRow) => SortValue,
  descending: boolean,
): readonly MachineRow[] {
  const sign = descending ? -1 : 1;
  const valued = rows.map((row) => ({ row, value: valueIn(row) }));
  return valued
    .toSorted(({ value: a }, { value: b }) => {
      if (a === null || b === null) return Number(a === null) - Number(b === null);
      if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
      return sign * naturalOrder(String(a), String(b));
    })
    .map(({ row }) => row);
}
