// The port: one network interface of a node.
import { field, type RecordOf, schema } from './fields.ts';

const writable = { create: true, update: true } as const;

const connectionText = { type: 'string' };
/** The switch port that the port is connected to. */
const connection = {
  properties: {
    port_id: connectionText,
    switch_id: connectionText,
    hostname: connectionText,
    switch_info: connectionText,
    network_type: { type: 'string', enum: ['managed', 'unmanaged'] },
    'vtep-logical-switch': connectionText,
    'vtep-physical-switch': connectionText,
  },
  additionalProperties: false,
};

export const portFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  address: field(schema.text({ minLength: 1, maxLength: 18 }), { since: 1, initial: '', ...writable }),
  node_uuid: field(schema.uuid(), { since: 1, initial: '', ...writable }),
  extra: field(schema.object(), { since: 1, initial: {}, ...writable }),
  internal_info: field(schema.object(), { since: 18, initial: {} }),
  pxe_enabled: field(schema.flag(), { since: 19, initial: true, ...writable }),
  local_link_connection: field(schema.object(connection), { since: 19, initial: {}, ...writable }),
  portgroup_uuid: field(schema.uuidOrNull(), { since: 24, initial: null, ...writable }),
  physical_network: field(schema.textOrNull({ minLength: 1, maxLength: 64 }), {
    since: 34,
    initial: null,
    ...writable,
  }),
  is_smartnic: field(schema.flagOrInitial(), { since: 53, initial: false, ...writable }),
  name: field(schema.textOrNull({ minLength: 1, maxLength: 255 }), { since: 88, initial: null, ...writable }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 97, initial: null, ...writable }),
  vendor: field(schema.textOrNull({ maxLength: 32 }), { since: 100, initial: null, ...writable }),
  category: field(schema.textOrNull({ maxLength: 80 }), { since: 101, initial: null, ...writable }),
  available_for_dynamic_portgroup: field(schema.flag(), {
    since: 111,
    initial: true,
    exact: true,
    ...writable,
  }),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

type PortField = keyof typeof portFields;
export type Port = RecordOf<typeof portFields>;
export type PortChanges = { -readonly [K in keyof Port]?: Port[K] };

export const portSummary: readonly PortField[] = ['uuid', 'address'];

/** Returns the MAC addresses from which a machine with these ports may boot. */
const CLIENT_ID = /^[\da-f]{2}(?::[\da-f]{2}){1,254}$/;

/**
 * Returns the DHCP client identifier in `extra/client-id`, which an InfiniBand card sends in place of a hardware address: bytes such
 * as `ff:00:00:01`, in lower case. Undefined when there is none, or when it is not of this form.
 */
export function clientIdOf({ extra: { 'client-id': given } }: Pick<Port, 'extra'>): string | undefined {
  const text = typeof given === 'string' ? given.toLowerCase() : '';
  return CLIENT_ID.test(text) ? text : undefined;
}

export const bootAddresses = (ports: readonly Port[]): ReadonlySet<string> =>
  new Set(ports.filter((port) => port.pxe_enabled).map((port) => port.address));
