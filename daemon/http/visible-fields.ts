// Which fields of a resource a request sees: by its version, its `fields` argument, or the summary of lists.
import { fault } from '../model/faults.ts';
import type { FieldTable } from '../model/records/fields.ts';

/** Throws Invalid for both `fields` and `detail`, which exclude each other. */
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
 * Returns the requested fields without `links`, which is always shown and may be named. Throws InvalidField for an
 * unknown field, VersionTooOld for a newer one.
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
