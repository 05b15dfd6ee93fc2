// The node: declares every field of its representation in the API.
import { field, type RecordOf, schema } from './fields.ts';
import type { InternalInfo } from '../internal-info.ts';
import type { NodeWait } from '../states/node-wait.ts';
import type { PowerState } from '../states/power-states.ts';
import type { PlannedStep } from '../steps/planned-steps.ts';
import type { ProvisionState } from '../states/provision-states.ts';
import { typed } from '../../lib/json/typed-schema.ts';

const writable = { create: true, update: true } as const;
type EmptyObject = Readonly<Record<string, never>>;
const text = schema.textOrNull;
const stateText = typed<ProvisionState>({ type: 'string' });
const stateOrNull = typed<ProvisionState | null>({ type: ['string', 'null'] });
const powerOrNull = typed<PowerState | null>({ type: ['string', 'null'] });
const object = (since: number, access: { create?: true; update?: true } = {}) =>
  field(schema.object(), { since, initial: {}, ...access });
const internalInfo = typed<InternalInfo>({ type: ['object', 'null'] });
/** The current step of a cleaning, deployment or servicing; empty if there is none. */
const currentStep = (since: number) =>
  field(typed<PlannedStep | EmptyObject>({ type: ['object', 'null'] }), { since, initial: {} });
const interfaceName = (since: number) =>
  field(text({ maxLength: 255 }), { since, initial: null, ...writable });

export const nodeFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  name: field(text({ maxLength: 255 }), { since: 5, initial: null, ...writable }),
  driver: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 1, initial: '', ...writable }),
  driver_info: object(1, writable),
  driver_internal_info: field(internalInfo, { since: 3, initial: {} }),
  properties: object(1, writable),
  instance_info: object(1, writable),
  instance_uuid: field(schema.uuidOrNull(), { since: 1, initial: null, ...writable }),
  instance_name: field(text({ minLength: 1, maxLength: 255 }), { since: 104, initial: null, ...writable }),
  extra: object(1, writable),
  chassis_uuid: field(schema.uuidOrNull(), { since: 1, initial: null, ...writable }),
  resource_class: field(text({ maxLength: 80 }), { since: 21, initial: null, ...writable }),
  maintenance: field(schema.flag(), { since: 1, initial: false, ...writable }),
  maintenance_reason: field(text(), { since: 1, initial: null }),
  fault: field(text(), { since: 42, initial: null }),
  power_state: field(powerOrNull, { since: 1, initial: null }),
  target_power_state: field(powerOrNull, { since: 1, initial: null }),
  provision_state: field(stateText, {
    since: 1,
    initial: 'enroll',
    // clients of API 1.1 see null instead of `available`
    shown: { type: ['string', 'null'] },
  }),
  target_provision_state: field(stateOrNull, { since: 1, initial: null }),
  provision_updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  inspection_started_at: field(schema.timeOrNull(), { since: 6, initial: null }),
  inspection_finished_at: field(schema.timeOrNull(), { since: 6, initial: null }),
  last_error: field(text(), { since: 1, initial: null }),
  /** The host that holds the node's lock. */
  reservation: field(text(), { since: 1, initial: null, computed: true }),
  console_enabled: field(schema.flag(), { since: 1, initial: false, create: true }),
  clean_step: currentStep(7),
  deploy_step: currentStep(44),
  service_step: currentStep(87),
  raid_config: object(12),
  target_raid_config: object(12),
  bios_interface: interfaceName(40),
  boot_interface: interfaceName(31),
  console_interface: interfaceName(31),
  deploy_interface: interfaceName(31),
  firmware_interface: interfaceName(86),
  inspect_interface: interfaceName(31),
  management_interface: interfaceName(31),
  network_interface: interfaceName(20),
  power_interface: interfaceName(31),
  raid_interface: interfaceName(31),
  rescue_interface: interfaceName(38),
  storage_interface: interfaceName(33),
  vendor_interface: interfaceName(31),
  traits: field(schema.texts(), { since: 37, initial: [] }),
  conductor_group: field(schema.textOrInitial({ maxLength: 255, pattern: '^[a-zA-Z0-9_.-]*$' }), {
    since: 46,
    initial: '',
    ...writable,
  }),
  /** The host that drives the node. */
  conductor: field(text(), { since: 49, initial: null, computed: true }),
  automated_clean: field(schema.flagOrNull(), { since: 47, initial: null, ...writable }),
  protected: field(schema.flagOrInitial(), { since: 48, initial: false, update: true }),
  protected_reason: field(text(), { since: 48, initial: null, update: true }),
  owner: field(text({ maxLength: 255 }), { since: 50, initial: null, ...writable }),
  lessee: field(text({ maxLength: 255 }), { since: 65, initial: null, ...writable }),
  description: field(text({ maxLength: 4096 }), { since: 51, initial: null, ...writable }),
  allocation_uuid: field(schema.uuidOrNull(), { since: 52, initial: null }),
  retired: field(schema.flagOrInitial(), { since: 61, initial: false, ...writable }),
  retired_reason: field(text(), { since: 61, initial: null, ...writable }),
  network_data: object(66, writable),
  boot_mode: field(text({ enum: ['bios', 'uefi', null] }), { since: 75, initial: null, create: true }),
  secure_boot: field(schema.flagOrNull(), { since: 75, initial: null, create: true }),
  shard: field(text({ maxLength: 255 }), { since: 82, initial: null, ...writable }),
  parent_node: field(text({ maxLength: 36 }), { since: 83, initial: null, ...writable }),
  disable_power_off: field(schema.flagOrInitial(), { since: 95, initial: false, ...writable }),
  health: field(text(), { since: 109, initial: null }),
  /** What the node waits for; empty unless it is in a state that waits or is on hold. Ironic does not have this field. */
  wait: field(typed<NodeWait | EmptyObject>({ type: ['object', 'null'] }), { since: 1, initial: {} }),
  /** Whether auto-discovery enrolled the node. Ironic does not have this field, so every API version shows it. */
  auto_discovered: field(schema.flag(), { since: 1, initial: false }),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type NodeField = keyof typeof nodeFields;
type Fields = RecordOf<typeof nodeFields>;

/** A node as the conductor and plugins see it. Field names are the API's own. */
export type Node = Omit<Fields, 'reservation' | 'conductor'>;
export type NodeChanges = { -readonly [K in keyof Node]?: Node[K] };

const initialFields = Object.fromEntries(
  Object.entries(nodeFields)
    .filter(([, given]) => !('computed' in given))
    .map(([name, { initial }]) => [name, initial]),
) as unknown as Node;

/** Returns a node with the given fields and the initial values of all others. */
export const initialNode = (given: Partial<Node>): Node => ({ ...initialFields, ...given });

/** The fields that lists show, unless the request chooses others with `fields` or asks for all with `detail`. */
export const nodeSummary: readonly NodeField[] = [
  'uuid',
  'name',
  'instance_uuid',
  'maintenance',
  'power_state',
  'provision_state',
];
