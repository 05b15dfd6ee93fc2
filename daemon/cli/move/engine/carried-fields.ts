// Which fields of a machine are moved, with which request, and which are not moved.
import type { Json, JsonObject } from '../../../model/json.ts';
import { interfaceFields } from '../../../model/machine/interface-types.ts';
import { allocationFields } from '../../../model/records/allocation.ts';
import { chassisFields } from '../../../model/records/chassis.ts';
import type { FieldTable } from '../../../model/records/fields.ts';
import { type Node, type NodeField, nodeFields } from '../../../model/records/node.ts';
import { portFields } from '../../../model/records/port.ts';
import { portgroupFields } from '../../../model/records/portgroup.ts';
import { volumeConnectorFields, volumeTargetFields } from '../../../model/records/volume.ts';

/** The fields in the request that creates the node. */
export const createdFields = [
  'uuid',
  'name',
  'driver',
  'driver_info',
  'properties',
  'extra',
  'chassis_uuid',
  'resource_class',
  ...interfaceFields,
  'automated_clean',
  'description',
  'network_data',
  'parent_node',
  'disable_power_off',
] as const satisfies readonly NodeField[];

/** The fields of the instance, which are set before the node is adopted. */
export const instanceFields = ['instance_uuid', 'instance_info', 'instance_name'] as const;

/**
 * The fields that are set last. For example, `protected` can only be set when the node is in use, and Ironic refuses `owner` in the
 * request that creates a node.
 */
export const settledFields = [
  'owner',
  'lessee',
  'shard',
  'retired',
  'retired_reason',
  'protected',
  'protected_reason',
] as const;

export const carriedFields: readonly (keyof Node)[] = [...createdFields, ...instanceFields, ...settledFields];

/** Fields of a node that are not moved, each with the reason: a check allows these fields to differ. */
export const allowedDifferences: Readonly<Partial<Record<NodeField, string>>> = {
  driver_internal_info: 'the receiving service works out its own',
  console_enabled: 'consoles stay off until somebody enables them',
  raid_config: 'no request sets it; the next inspection or RAID step does',
  target_raid_config: 'only needed while a RAID is made',
  boot_mode: 'read from the machine',
  secure_boot: 'read from the machine',
  conductor_group: 'the groups are those of the receiving service',
  conductor: 'each service has its own',
  reservation: 'each service has its own',
  fault: 'each service finds its own',
  last_error: 'belongs to the history of the sending service',
  health: 'read from the machine',
  auto_discovered: 'Ironic has no such field',
  wait: 'Ironic has no such field',
  created_at: 'each service has its own',
  updated_at: 'each service has its own',
  provision_updated_at: 'each service has its own',
  inspection_started_at: 'belongs to the history of the sending service',
  inspection_finished_at: 'belongs to the history of the sending service',
  target_power_state: 'nothing is under way when a machine is handed over',
  target_provision_state: 'nothing is under way when a machine is handed over',
  clean_step: 'nothing is under way when a machine is handed over',
  deploy_step: 'nothing is under way when a machine is handed over',
  service_step: 'nothing is under way when a machine is handed over',
};

/** Keys that Ironic adds by itself when it manages and adopts a machine. */
export const addedKeys: Readonly<Partial<Record<NodeField, readonly string[]>>> = {
  properties: ['vendor'],
  instance_info: ['image_type'],
};

/** A kind of record that belongs to a node: its path in the API, and the API version that introduced it. */
export interface PartKind {
  readonly what: string;
  readonly part: 'portgroups' | 'ports' | 'volumeConnectors' | 'volumeTargets';
  readonly path: string;
  /** The key of the list in a reply. */
  readonly key: string;
  readonly since: number;
  readonly fields: FieldTable;
}

/** Port groups come before the ports that belong to them. */
export const partKinds: readonly PartKind[] = [
  {
    what: 'port group',
    part: 'portgroups',
    path: '/v1/portgroups',
    key: 'portgroups',
    since: 26,
    fields: portgroupFields,
  },
  { what: 'port', part: 'ports', path: '/v1/ports', key: 'ports', since: 1, fields: portFields },
  {
    what: 'volume connector',
    part: 'volumeConnectors',
    path: '/v1/volume/connectors',
    key: 'connectors',
    since: 32,
    fields: volumeConnectorFields,
  },
  {
    what: 'volume target',
    part: 'volumeTargets',
    path: '/v1/volume/targets',
    key: 'targets',
    since: 32,
    fields: volumeTargetFields,
  },
];

/** Returns the body of the request that creates a record at this API version, without values that a new record gets anyway. */
export const partBody = (fields: FieldTable, record: JsonObject, minor: number): JsonObject =>
  bodyOf(
    fields,
    Object.keys(fields).filter((name) => fields[name]?.create === true),
    record,
    minor,
  );

export const nodeBody = (names: readonly (keyof Node)[], node: Node, minor: number): JsonObject =>
  bodyOf(nodeFields, names, node, minor);

export const chassisBody = (record: JsonObject, minor: number): JsonObject =>
  partBody(chassisFields, record, minor);

/** The API version since which an allocation can be created for a node that is in use. */
export const BACKFILL_MINOR = 58;

/** Returns the body for an allocation of a node that is in use: it names neither candidates nor traits. */
export function allocationBody(record: JsonObject, minor: number): JsonObject {
  const {
    candidate_nodes: _candidates,
    traits: _traits,
    ...body
  } = partBody(allocationFields, record, minor);
  return body;
}

/** The fields whose values only a newer API version accepts. */
export const tooNew = (node: Node, minor: number): readonly string[] =>
  carriedFields.filter((name) => nodeFields[name].since > minor && !isInitial(nodeFields, name, node[name]));

function bodyOf(fields: FieldTable, names: readonly string[], record: JsonObject, minor: number): JsonObject {
  const known = names.filter((name) => (fields[name]?.since ?? 0) <= minor);
  return Object.fromEntries(
    known
      .filter((name) => !isInitial(fields, name, record[name]))
      .map((name) => [name, record[name] ?? null]),
  );
}

const isInitial = (fields: FieldTable, name: string, value: Json | undefined): boolean =>
  value === undefined || value === null || JSON.stringify(value) === JSON.stringify(fields[name]?.initial);
