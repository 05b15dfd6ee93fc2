// What a network service tells of the ports it has bound, unbound or deleted.
import { type Static, Type } from 'typebox';
import { field, schema } from './fields.ts';

const event = Type.Object(
  {
    event: schema.text({ enum: ['network.bind_port', 'network.unbind_port', 'network.delete_port'] }),
    port_id: schema.uuid(),
    mac_address: schema.text({ pattern: '^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$' }),
    status: schema.text(),
    device_id: Type.Optional(schema.textOrNull()),
    'binding:host_id': Type.Optional(schema.textOrNull()),
    'binding:vnic_type': Type.Optional(schema.textOrNull()),
  },
  { additionalProperties: false },
);

export type NetworkEvent = Static<typeof event>;

/** The body of POST /v1/events. */
export const networkEventsFields = {
  events: field(Type.Array(event, { minItems: 1 }), { since: 54, create: true, initial: [] }),
} as const;
