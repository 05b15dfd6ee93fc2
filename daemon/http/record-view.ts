// What a request sees of a record: the fields of its API version, the fields that it names, or the summary that lists show.
import type { Schema } from '../lib/json/typed-schema.ts';
import { fault } from '../model/faults.ts';
import type { FieldTable } from '../model/records/fields.ts';
import type { ApiRequest } from './route.ts';
import { fieldSchemas, type Properties } from './schema-parts.ts';

export interface View<R> {
  readonly fields: FieldTable;
  /** Fields that lists show; `whole`: all fields. */
  readonly summary: readonly string[] | 'whole';
  /** For each field that is not shown as it is stored: a function that returns the value to show. */
  readonly shown?: Readonly<Record<string, (record: R, request: ApiRequest) => unknown>>;
  readonly extras?: Readonly<Record<string, Extra<R>>>;
}

/** A value that whole records show in addition to the fields. */
interface Extra<R> {
  readonly schema: Schema;
  readonly show: (record: R, request: ApiRequest) => unknown;
}

/** Returns the JSON Schemas of everything that a record may show except its links. */
export const viewSchemas = <R>({ fields, extras = {} }: Pick<View<R>, 'fields' | 'extras'>): Properties => ({
  ...fieldSchemas(fields),
  ...Object.fromEntries(Object.entries(extras).map(([name, { schema }]) => [name, schema])),
});

interface Shape {
  readonly query: { readonly fields?: readonly string[]; readonly detail?: boolean };
  readonly minor: number;
}

/** Returns the fields that a request for one record names; undefined for the whole record. */
export const namedFields = (
  { fields }: Pick<View<never>, 'fields'>,
  { query, minor }: Shape,
): readonly string[] | undefined =>
  query.fields === undefined ? undefined : checkedFields(fields, query.fields, minor);

/** Returns the fields that a request for a list wants; undefined for whole records. */
export function listedFields(
  view: Pick<View<never>, 'fields' | 'summary'>,
  { query, minor }: Shape,
): readonly string[] | undefined {
  refuseFieldsWithDetail(query);
  if (query.detail === true) return undefined;
  const named = namedFields(view, { query, minor });
  if (named !== undefined || view.summary === 'whole') return named;
  return view.summary.filter((name) => (view.fields[name]?.since ?? 1) <= minor);
}

/** Returns a record without its links. `names` undefined: every field of the request's version, and the extras. */
export function shownRecord<R extends object>(
  { fields, shown, extras = {} }: Pick<View<R>, 'fields' | 'shown' | 'extras'>,
  record: R,
  request: ApiRequest,
  names: readonly string[] | undefined,
): object {
  const values = (names ?? fieldsUpTo(fields, request.minor)).map((name) => [
    name,
    shown?.[name] === undefined ? record[name as keyof R] : shown[name](record, request),
  ]);
  const beside = Object.entries(names === undefined ? extras : {}).map(([name, extra]) => [
    name,
    extra.show(record, request),
  ]);
  return Object.fromEntries([...values, ...beside]);
}

/** Throws Invalid when a request names fields and sets `detail`, which exclude each other. */
export function refuseFieldsWithDetail(query: {
  readonly fields?: readonly string[];
  readonly detail?: boolean;
}): void {
  if (query.fields !== undefined && query.detail === true) {
    throw fault('Invalid', { reason: 'Can\'t fetch a subset of fields with "detail" set.' });
  }
}

/** Returns the names of the fields that exist in the version. */
export function fieldsUpTo(fields: FieldTable, minor: number): readonly string[] {
  return Object.keys(fields).filter((name) => (fields[name]?.since ?? 0) <= minor);
}

/**
 * Returns the requested fields without `links`, which is always shown and may be named. Throws InvalidField for an unknown field,
 * VersionTooOld for a field of a newer version.
 */
export function checkedFields(
  fields: FieldTable,
  wanted: readonly string[],
  minor: number,
): readonly string[] {
  const names = wanted.filter((name) => name !== 'links');
  for (const name of names) {
    if (!Object.hasOwn(fields, name)) throw fault('InvalidField', { field: name });
    const since = fields[name]?.since ?? 1;
    if (since > minor) throw fault('VersionTooOld', { since });
  }
  return names;
}
