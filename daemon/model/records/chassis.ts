// The chassis: a group of nodes that share an enclosure.
import { field, type RecordOf, schema } from './fields.ts';

const writable = { create: true, update: true } as const;

export const chassisFields = {
  // `update: true`, so that a patch of the UUID is refused as a forbidden change, not as an unknown field
  uuid: field(schema.uuid(), { since: 1, create: true, update: true, initial: '' }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 1, initial: null, ...writable }),
  extra: field(schema.object(), { since: 1, initial: {}, ...writable }),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type Chassis = RecordOf<typeof chassisFields>;
export const chassisSummary = ['uuid', 'description'] as const;
