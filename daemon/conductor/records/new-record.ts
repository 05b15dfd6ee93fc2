// Creates records: each field has its initial value unless another value is given.
import { randomUUID } from 'node:crypto';
import type { FieldTable } from '../../model/records/fields.ts';
import { now } from '../../lib/clock.ts';
import type { RecordServices } from './services.ts';

/** Returns a record with the current time as `created_at` and, unless one is given, a new UUID. */
export const newRecord = <R>(services: RecordServices, fields: FieldTable, given: Partial<R>): R => ({
  ...draftRecord<R>(fields, given),
  created_at: now(services),
});

/** Like `newRecord`, without `created_at`: for a record that is not going to be stored. */
export function draftRecord<R>(fields: FieldTable, given: Partial<R>): R {
  const stored = Object.entries(fields).filter(([, field]) => field.computed !== true);
  const initial = Object.fromEntries(stored.map(([name, field]) => [name, field.initial]));
  return { ...initial, uuid: randomUUID(), ...given } as R;
}
