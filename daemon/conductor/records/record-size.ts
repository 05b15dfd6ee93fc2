// Limits the JSON that clients may store in one record, over any number of requests.
import type { Config } from '../../config/sections/core-sections.ts';
import { fault } from '../../model/faults.ts';
import { type FieldTable, storageOf } from '../../model/records/fields.ts';

/** Throws RecordTooLarge when the changes make the record exceed the limit. A record already above it may shrink. */
export function refuseTooLarge<R extends object>(
  { api: { max_json_record_size: limit } }: Pick<Config, 'api'>,
  fields: FieldTable,
  record: R,
  changes: Partial<R>,
): void {
  const names = Object.entries(fields)
    .filter(([, field]) => field.update === true && storageOf(field) === 'json')
    .map(([name]) => name as keyof R & string);
  if (!names.some((name) => name in changes)) return;
  const size = sizeOf({ ...record, ...changes }, names);
  if (size <= limit * 1024 || size <= sizeOf(record, names)) return;
  const kibibytes = Math.ceil(size / 1024);
  throw fault('RecordTooLarge', { fields: Object.keys(changes).join(', '), size: kibibytes, limit });
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
