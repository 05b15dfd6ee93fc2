// Which fields of a resource a request sees: by its version, its `fields` argument, or the summary of lists.
import { fault } from '../model/faults.ts';
import type { FieldTable } from '../model/fields.ts';

/** Lists show chosen fields or all of them. */
export function refuseFieldsWithDetail(query: {
  readonly fields?: readonly string[];
  readonly detail?: boolean;
}): void {
  if (query.fields !== undefined && query.detail === true) {
    throw fault('Invalid', { reason: 'Can\'t fetch a subset of fields with "detail" set.' });
  }
}

/** Every field up to the version. */
export function fieldsUpTo(fields: FieldTable, minor: number): readonly string[] {
  return Object.keys(fields).filter((name) => (fields[name]?.since ?? 0) <= minor);
}

/**
 * The fields asked for. Throws InvalidField for unknown ones, VersionTooOld for newer ones. `links` is always shown and
 * may be named.
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
