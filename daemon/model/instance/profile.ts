// Profiles of instances: a name for an image, keys, user data, a network and so on, which requests for an instance may give.
import { field, type RecordOf, schema } from '../records/fields.ts';
import { instanceDescriptionFields } from './instance.ts';

const writable = { create: true, update: true } as const;

export const profileFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 1, initial: '', ...writable }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 1, initial: null, ...writable }),
  ...instanceDescriptionFields,
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type InstanceProfile = RecordOf<typeof profileFields>;
export const profileSummary = ['uuid', 'name', 'description', 'image', 'hostname'] as const;
