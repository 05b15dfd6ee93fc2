// Which fields of a resource are in Ironic's versioned notifications, and under which payload name and version.
import type { Json, JsonObject } from '../json.ts';
import { MASK, maskSecrets } from '../secrets.ts';

interface PayloadKind {
  readonly name: string;
  readonly version: string;
  readonly fields: readonly string[];
}

const times = ['created_at', 'updated_at'];

const NODE_FIELDS = [
  'uuid',
  'name',
  'driver',
  'description',
  'extra',
  'properties',
  'instance_uuid',
  'resource_class',
  'conductor_group',
  'owner',
  'lessee',
  'traits',
  'maintenance',
  'maintenance_reason',
  'fault',
  'last_error',
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'inspection_started_at',
  'inspection_finished_at',
  'clean_step',
  'deploy_step',
  'console_enabled',
  'boot_mode',
  'secure_boot',
  'protected',
  'protected_reason',
  'retired',
  'retired_reason',
  'disable_power_off',
  'bios_interface',
  'boot_interface',
  'console_interface',
  'deploy_interface',
  'inspect_interface',
  'management_interface',
  'network_interface',
  'power_interface',
  'raid_interface',
  'rescue_interface',
  'storage_interface',
  'vendor_interface',
  ...times,
];

const node = (name: string, version: string, ...more: readonly string[]): PayloadKind => ({
  name,
  version,
  fields: [...NODE_FIELDS, ...more],
});
const crud = (resource: string, version: string, fields: readonly string[]): PayloadKind => ({
  name: `${resource}CRUDPayload`,
  version,
  fields: ['uuid', ...fields, ...times],
});

const payloadKinds = {
  node: node('NodePayload', '1.17'),
  nodePower: node('NodeSetPowerStatePayload', '1.17'),
  nodePowerCorrected: node('NodeCorrectedPowerStatePayload', '1.17'),
  nodeProvision: node('NodeSetProvisionStatePayload', '1.18', 'instance_info', 'driver_internal_info'),
  /** Ironic has no such notification. */
  nodeHardware: node('NodeHardwarePayload', '1.0'),
  nodeRecord: node('NodeCRUDPayload', '1.15', 'chassis_uuid', 'instance_info', 'driver_info'),
  chassis: crud('Chassis', '1.0', ['description', 'extra']),
  port: crud('Port', '1.8', [
    'address',
    'node_uuid',
    'portgroup_uuid',
    'extra',
    'local_link_connection',
    'physical_network',
    'pxe_enabled',
    'is_smartnic',
    'name',
    'description',
    'vendor',
    'category',
    'available_for_dynamic_portgroup',
  ]),
  portgroup: crud('Portgroup', '1.3', [
    'address',
    'node_uuid',
    'category',
    'extra',
    'mode',
    'name',
    'physical_network',
    'properties',
    'standalone_ports_supported',
    'dynamic_portgroup',
  ]),
  volumeconnector: crud('VolumeConnector', '1.0', ['node_uuid', 'extra', 'type', 'connector_id']),
  volumetarget: crud('VolumeTarget', '1.0', [
    'node_uuid',
    'boot_index',
    'extra',
    'properties',
    'volume_id',
    'volume_type',
  ]),
  allocation: crud('Allocation', '1.1', [
    'name',
    'node_uuid',
    'candidate_nodes',
    'extra',
    'last_error',
    'owner',
    'resource_class',
    'state',
    'traits',
  ]),
  runbook: crud('Runbook', '1.1', [
    'name',
    'description',
    'disable_ramdisk',
    'extra',
    'owner',
    'public',
    'steps',
    'traits',
  ]),
  inspectionrule: crud('InspectionRule', '1.0', [
    'description',
    'phase',
    'priority',
    'scope',
    'sensitive',
    'actions',
    'conditions',
  ]),
  deploytemplate: crud('DeployTemplate', '1.0', ['name', 'extra', 'steps']),
} as const satisfies Record<string, PayloadKind>;

export type PayloadName = keyof typeof payloadKinds;

/** A field whose JSON has more characters is replaced by its length, so that one resource cannot fill the table of events. */
const LONGEST_FIELD = 16_384;

/** Returns the payload of a notification about the record, secrets masked. `more`: fields that the record does not have. */
export function payloadOf(
  kind: PayloadName,
  record: Readonly<Record<string, unknown>>,
  more: JsonObject = {},
): JsonObject {
  const { name, version, fields } = payloadKinds[kind];
  const values = fields.map((field): [string, Json] => [field, shown(field, record[field])]);
  return {
    'ironic_object.name': name,
    'ironic_object.namespace': 'ironic',
    'ironic_object.version': version,
    'ironic_object.data': { ...Object.fromEntries(values), ...more },
  };
}

function shown(field: string, value: unknown): Json {
  const masked = maskSecrets({ [field]: (value ?? null) as Json })[field] ?? null;
  const text = JSON.stringify(masked);
  if (text.length > LONGEST_FIELD) return { left_out: `${text.length} characters` };
  const hidesImage = field === 'instance_info' && typeof masked === 'object' && 'image_url' in (masked ?? {});
  return hidesImage ? { ...(masked as JsonObject), image_url: MASK } : masked;
}
