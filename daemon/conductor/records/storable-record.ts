// Refuses what cannot be stored in a record: more JSON than a record may have, over any number of requests, and a value that must be
// unique and that another record has.
import type { Config } from '../../config/sections/core-sections.ts';
import { collidingColumn } from '../../db/write-failure.ts';
import { type Fault, fault } from '../../model/faults.ts';
import { type FieldTable, storageOf } from '../../model/records/fields.ts';

/**
 * Returns a function that throws RecordTooLarge when the changes make a record with these fields exceed the limit. A record already
 * above it may shrink.
 */
export function sizeCheck<R extends object>(
  fields: FieldTable,
): (config: Pick<Config, 'api'>, record: R, changes: Partial<R>) => void {
  const names = Object.entries(fields)
    .filter(([, field]) => field.update === true && storageOf(field) === 'json')
    .map(([name]) => name as keyof R & string);
  return ({ api: { max_json_record_size: limit } }, record, changes) => {
    if (!names.some((name) => name in changes)) return;
    const size = sizeOf({ ...record, ...changes }, names);
    if (size <= limit * 1024 || size <= sizeOf(record, names)) return;
    const kibibytes = Math.ceil(size / 1024);
    throw fault('RecordTooLarge', { fields: Object.keys(changes).join(', '), size: kibibytes, limit });
  };
}

function sizeOf<R>(record: R, names: readonly (keyof R & string)[]): number {
  const counted = names.map((name) =>
    name === 'instance_info' ? withoutConfigdrive(record[name]) : record[name],
  );
  return counted.reduce((sum: number, value) => sum + Buffer.byteLength(JSON.stringify(value ?? null)), 0);
}

// the config drive comes with a provision request, which has its own limit
function withoutConfigdrive(instanceInfo: unknown): object {
  const { configdrive: _, ...rest } = instanceInfo as { readonly configdrive?: unknown };
  return rest;
}

/** The fields of a record that must be unique. */
interface Unique {
  readonly uuid: string;
  readonly name?: string | null;
  readonly address?: string | null;
  readonly instance_uuid?: string | null;
}

interface Kind<R> {
  readonly resource: string;
  readonly duplicate?: (record: R) => Fault;
}

/**
 * Returns the result of `write`. Throws DuplicateUuid, DuplicateName, DuplicateMac, InstanceAssociated or the kind's
 * own fault when another record has the same value.
 */
export function refuseDuplicates<R extends Unique, T>(kind: Kind<R>, record: R, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw collision(kind, record, collidingColumn(error)) ?? error;
  }
}

function collision<R extends Unique>(
  { resource, duplicate }: Kind<R>,
  record: R,
  column: string | undefined,
): Fault | undefined {
  const known = `${/^[aeiou]/.test(resource) ? 'An' : 'A'} ${resource}`;
  switch (column) {
    case undefined:
      return undefined;
    case 'uuid':
      return fault('DuplicateUuid', { record: known, uuid: record.uuid });
    case 'name':
      return fault('DuplicateName', { record: known, name: String(record.name) });
    case 'address':
      return fault('DuplicateMac', { record: known, mac: String(record.address) });
    case 'instance_uuid':
      return fault('InstanceAssociated', { instance: String(record.instance_uuid), node: record.uuid });
    default:
      return duplicate?.(record);
  }
}
