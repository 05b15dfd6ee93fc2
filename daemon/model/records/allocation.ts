// The allocation: a request for a node with given properties, and the node that was found for it.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';

const writable = { create: true, update: true } as const;
const texts = typed<readonly string[]>({
  type: ['array', 'null'],
  items: { type: 'string' },
});
const state = typed<'allocating' | 'active' | 'error'>({ type: 'string' });

export const allocationFields = {
  uuid: field(schema.uuid(), { since: 52, create: true, initial: '' }),
  name: field(schema.textOrNull({ maxLength: 255 }), { since: 52, initial: null, ...writable }),
  candidate_nodes: field(texts, { since: 52, create: true, initial: [] }),
  extra: field(schema.object(), { since: 52, initial: {}, ...writable }),
  last_error: field(schema.textOrNull(), { since: 52, initial: null }),
  node_uuid: field(schema.uuidOrNull(), { since: 52, initial: null }),
  owner: field(schema.textOrNull({ maxLength: 255 }), { since: 60, create: true, initial: null }),
  resource_class: field(schema.textOrNull({ maxLength: 80 }), { since: 52, create: true, initial: null }),
  state: field(state, { since: 52, initial: 'allocating' }),
  traits: field(texts, { since: 52, create: true, initial: [] }),
  created_at: field(schema.timeOrNull(), { since: 52, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 52, initial: null }),
} as const;

export type Allocation = RecordOf<typeof allocationFields>;
