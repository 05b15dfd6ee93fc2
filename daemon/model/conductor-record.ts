// The record of a host that drives nodes.
import { field, type RecordOf, schema } from './fields.ts';
import { typed } from '../lib/typed-schema.ts';

export const conductorFields = {
  hostname: field(schema.text(), { since: 49, initial: '' }),
  conductor_group: field(schema.text(), { since: 49, initial: '' }),
  drivers: field(typed<readonly string[]>({ type: 'array' }), { since: 49, initial: [] }),
  /** False after an orderly stop. */
  online: field(schema.flag(), { since: 49, initial: false }),
  created_at: field(schema.text(), { since: 49, initial: '' }),
  updated_at: field(schema.text(), { since: 49, initial: '' }),
} as const;

export type ConductorRecord = RecordOf<typeof conductorFields>;
