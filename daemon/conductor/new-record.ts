// A record with every field at its initial value but those that are given.
import { randomUUID } from 'node:crypto';
import type { FieldTable } from '../model/fields.ts';
import { now, type Services } from './services.ts';

/** With a UUID of its own unless one is given, and the time of its creation. */
export const newRecord = <R>(services: Services, fields: FieldTable, given: Partial<R>): R => ({
  ...draftRecord<R>(fields, given),
  created_at: now(services),
});

/** One that nothing has stored. */
export function draftRecord<R>(fields: FieldTable, given: Partial<R>): R {
  const stored = Object.entries(fields).filter(([, field]) => field.computed !== true);
  const initial = Object.fromEntries(stored.map(([name, field]) => [name, field.initial]));
  return { ...initial, uuid: randomUUID(), ...given } as R;
}
