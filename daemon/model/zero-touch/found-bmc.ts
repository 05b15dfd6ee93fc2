// BMCs that the daemon found on the network: what it saw of each, and how far the machine has been taken in.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from '../records/fields.ts';
import { type Stage, stages } from './stages.ts';

const bmcProtocols = ['redfish', 'ipmi'] as const;
export type BmcProtocol = (typeof bmcProtocols)[number];

/** What made the daemon see a BMC: its DHCP request, a scan, its answer to a search by SSDP, the report of a ramdisk. */
const sightingSources = ['dhcp', 'scan', 'ssdp', 'report'] as const;
export type SightingSource = (typeof sightingSources)[number];

const optional = { since: 1, initial: null } as const;
const listOf = <T extends string>(values: readonly T[]) =>
  field(typed<readonly T[]>({ type: 'array', items: { type: 'string', enum: values } }), {
    since: 1,
    initial: [],
  });

export const foundBmcFields = {
  uuid: field(schema.uuid(), { since: 1, initial: '' }),
  /** Null when another BMC answers there now, and nobody knows where this one is. */
  address: field(schema.textOrNull(), optional),
  /** As a DHCP request or the report of a ramdisk has it: a hint. */
  mac: field(schema.textOrNull(), optional),
  /** Of the Redfish service. */
  redfish_uuid: field(schema.textOrNull(), optional),
  /** What answered when the daemon asked last; empty before the BMC has answered. */
  protocols: listOf(bmcProtocols),
  vendor: field(schema.textOrNull(), optional),
  product: field(schema.textOrNull(), optional),
  redfish_version: field(schema.textOrNull(), optional),
  /** DHCP option 12. */
  hostname: field(schema.textOrNull(), optional),
  /** DHCP option 60. */
  vendor_class: field(schema.textOrNull(), optional),
  sources: listOf(sightingSources),
  serial_number: field(schema.textOrNull(), optional),
  system_uuid: field(schema.textOrNull(), optional),
  /** Of the network cards of the machine. */
  macs: field(schema.texts(), { since: 1, initial: [] }),
  /** The node that the machine became, or else the node whose driver_info names the address. */
  node_uuid: field(schema.uuidOrNull(), optional),
  expected_uuid: field(schema.uuidOrNull(), optional),
  /** How far the machine has been taken in. */
  stage: field(typed<Stage>({ type: 'string', enum: stages }), { since: 1, initial: 'seen' }),
  /** Why the machine goes no further, for the operator. */
  reason: field(schema.textOrNull(), optional),
  /** The stage at which an operator let the machine go on. */
  continued_at: field(typed<Stage | null>({ type: ['string', 'null'], enum: [...stages, null] }), optional),
  /** The runbook of its class that cleans the machine now, and those that have ended well. */
  runbook: field(schema.textOrNull(), optional),
  runbooks_done: field(schema.texts(), { since: 1, initial: [] }),
  first_seen: field(schema.text(), { since: 1, initial: '' }),
  last_seen: field(schema.text(), { since: 1, initial: '' }),
  created_at: field(schema.timeOrNull(), optional),
  updated_at: field(schema.timeOrNull(), optional),
} as const;

export type FoundBmc = RecordOf<typeof foundBmcFields>;

export const foundBmcSummary = [
  'uuid',
  'address',
  'mac',
  'protocols',
  'vendor',
  'product',
  'hostname',
  'node_uuid',
  'stage',
  'reason',
  'last_seen',
] as const;
