// Events that a network service sends when it has bound, unbound or deleted ports.
import { typed } from '../lib/json/typed-schema.ts';
import { field, schema } from './records/fields.ts';

export interface NetworkEvent {
  readonly event: string;
  readonly port_id: string;
  readonly mac_address: string;
  readonly status: string;
  readonly device_id?: string | null;
  readonly 'binding:host_id'?: string | null;
  readonly 'binding:vnic_type'?: string | null;
}

const event = {
  type: 'object',
  properties: {
    event: schema.text({ enum: ['network.bind_port', 'network.unbind_port', 'network.delete_port'] }),
    port_id: schema.uuid(),
    mac_address: schema.text({ pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$' }),
    status: schema.text(),
    device_id: schema.uuidOrNull(),
    'binding:host_id': schema.uuidOrNull(),
    'binding:vnic_type': schema.textOrNull(),
  },
  required: ['event', 'port_id', 'mac_address', 'status'],
  additionalProperties: false,
};

/** The body of POST /v1/events. */
export const networkEventsFields = {
  events: field(typed<readonly NetworkEvent[]>({ type: 'array', items: event, minItems: 1 }), {
    since: 54,
    create: true,
    initial: [],
  }),
} as const;
