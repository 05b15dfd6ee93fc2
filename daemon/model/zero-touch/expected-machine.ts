// Expected machines: what an operator knows of a machine before it is plugged in.
import { typed } from '../../lib/json/typed-schema.ts';
import { type Field, field, type RecordOf, schema } from '../records/fields.ts';

const writable = { create: true, update: true } as const;
const MOST_PORTS = 64;
const UNITS = 100;

const optional = (maxLength = 255) =>
  field(schema.textOrNull({ minLength: 1, maxLength }), { since: 1, initial: null, ...writable });
const texts = (maxItems: number): Field<ReturnType<typeof schema.texts>> =>
  field(
    typed<readonly string[]>({
      type: 'array',
      maxItems,
      items: { type: 'string', minLength: 1, maxLength: 255 },
    }),
    { since: 1, initial: [], ...writable },
  );

export const expectedMachineFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  /** The name that the node gets. */
  name: optional(),
  /** On the tag of the machine or of its chassis. */
  serial_number: optional(),
  bmc_mac: optional(17),
  bmc_address: optional(45),
  /** MAC addresses of the machine's network cards. */
  port_macs: texts(MOST_PORTS),
  /** The login that the BMC has from the factory. */
  bmc_username: optional(64),
  bmc_password: optional(128),
  /** The hardware type of the node. Null: redfish or ipmi, whichever the BMC speaks. */
  driver: optional(),
  resource_class: optional(80),
  owner: optional(),
  traits: texts(50),
  /** Where the machine is; node/extra gets both. */
  rack: optional(),
  unit: field(typed<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: UNITS }), {
    since: 1,
    initial: null,
    ...writable,
  }),
  description: optional(),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type ExpectedMachine = RecordOf<typeof expectedMachineFields>;
export const expectedMachineSummary = [
  'uuid',
  'name',
  'serial_number',
  'bmc_mac',
  'bmc_address',
  'resource_class',
] as const;

/** The fields by which a machine is recognised; an expected machine has at least one. */
export const recognisedBy = ['serial_number', 'bmc_mac', 'bmc_address', 'port_macs'] as const;
