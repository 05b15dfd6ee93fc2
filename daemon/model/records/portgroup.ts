// The port group: several ports of one node that work as one network interface.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';

const writable = { create: true, update: true } as const;

export const portgroupFields = {
  uuid: field(schema.uuid(), { since: 23, create: true, initial: '' }),
  address: field(schema.textOrNull({ maxLength: 18 }), { since: 23, initial: null, ...writable }),
  name: field(schema.textOrNull({ maxLength: 255 }), { since: 23, initial: null, ...writable }),
  node_uuid: field(schema.uuid(), { since: 23, initial: '', ...writable }),
  extra: field(schema.object(), { since: 23, initial: {}, ...writable }),
  internal_info: field(schema.object(), { since: 23, initial: {} }),
  standalone_ports_supported: field(schema.flag(), { since: 23, initial: true, ...writable }),
  // a new portgroup that names no mode gets [DEFAULT] default_portgroup_mode
  mode: field(schema.textOrNull({ maxLength: 255 }), { since: 26, initial: null, ...writable }),
  properties: field(schema.object(), { since: 26, initial: {}, ...writable }),
  physical_network: field(schema.textOrNull({ minLength: 1, maxLength: 64 }), {
    since: 102,
    initial: null,
    ...writable,
  }),
  category: field(schema.textOrNull({ maxLength: 80 }), { since: 103, initial: null, ...writable }),
  dynamic_portgroup: field(typed<boolean>({ type: 'boolean' }), { since: 111, initial: false }),
  created_at: field(schema.timeOrNull(), { since: 23, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 23, initial: null }),
} as const;

export type Portgroup = RecordOf<typeof portgroupFields>;
export const portgroupSummary = ['uuid', 'address', 'name'] as const;
