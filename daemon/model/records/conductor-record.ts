// The conductor as the database stores it: a host that drives nodes.
import { field, only, type RecordOf, schema } from './fields.ts';

export const conductorFields = {
  hostname: field(schema.text(), { since: 49, initial: '' }),
  conductor_group: field(schema.text(), { since: 49, initial: '' }),
  drivers: field(schema.texts(), { since: 49, initial: [] }),
  /** False after an orderly stop. */
  online: field(schema.flag(), { since: 49, initial: false }),
  created_at: field(schema.text(), { since: 49, initial: '' }),
  updated_at: field(schema.text(), { since: 49, initial: '' }),
} as const;

/** The fields that the API shows. */
export const shownConductorFields = {
  ...only(conductorFields, ['hostname', 'conductor_group', 'drivers', 'created_at', 'updated_at']),
  alive: conductorFields.online,
} as const;

export type ConductorRecord = RecordOf<typeof conductorFields>;
