// The kinds of records. For each kind, there are commands that list, show, create, change or delete records.
import { allocationFields } from '../../model/records/allocation.ts';
import { chassisFields } from '../../model/records/chassis.ts';
import type { FieldTable } from '../../model/records/fields.ts';
import { portFields } from '../../model/records/port.ts';
import { portgroupFields } from '../../model/records/portgroup.ts';
import { volumeConnectorFields, volumeTargetFields } from '../../model/records/volume.ts';
import { hardwareClassFields } from '../../model/hardware/hardware-class.ts';
import { imageFields } from '../../model/instance/image.ts';
import { profileFields } from '../../model/instance/profile.ts';
import { inspectionRuleFields } from '../../model/rules/inspection-rule.ts';
import { deployTemplateFields, runbookFields } from '../../model/steps/step-lists.ts';
import { expectedMachineFields } from '../../model/zero-touch/expected-machine.ts';
import { foundBmcFields } from '../../model/zero-touch/found-bmc.ts';
import type { Cells } from './print-records.ts';
import { readingRequest, type RecordRequest, traitRequests } from './record-request.ts';

export interface RecordKind {
  /** The word for the kind in commands. */
  readonly command: string;
  /** The name of the argument that names a record; not set: the word for the kind. */
  readonly label?: string;
  /** The word for one record in sentences, with an article. */
  readonly one: string;
  /** The path of the list. */
  readonly path: string;
  /** The key of the list in the reply. */
  readonly key: string;
  readonly fields: FieldTable;
  /** The columns of lists when the user chooses none. */
  readonly columns: readonly string[];
  readonly cells?: Cells;
  /** Further requests about a record. The key is the words of the command after the kind of record, such as `trait list`. */
  readonly requests?: Readonly<Record<string, RecordRequest>>;
  /** Set if vendor interfaces have methods for records of this kind. The `passthru` commands list and call these methods. */
  readonly vendorMethods?: true;
}

const kinds = [
  {
    command: 'port',
    one: 'a port, a network card of a node',
    path: '/v1/ports',
    key: 'ports',
    fields: portFields,
    columns: ['uuid', 'address', 'node_uuid', 'pxe_enabled'],
  },
  {
    command: 'port-group',
    one: 'a port group, which combines ports of a node',
    path: '/v1/portgroups',
    key: 'portgroups',
    fields: portgroupFields,
    columns: ['uuid', 'name', 'address', 'node_uuid'],
  },
  {
    command: 'allocation',
    one: 'an allocation, which finds and reserves a node',
    path: '/v1/allocations',
    key: 'allocations',
    fields: allocationFields,
    columns: ['uuid', 'name', 'state', 'node_uuid', 'resource_class', 'last_error'],
  },
  {
    command: 'deploy-template',
    one: 'a deploy template, a list of deploy steps for a trait',
    path: '/v1/deploy_templates',
    key: 'deploy_templates',
    fields: deployTemplateFields,
    columns: ['uuid', 'name'],
  },
  {
    command: 'runbook',
    one: 'a runbook, a list of steps for cleaning or service',
    path: '/v1/runbooks',
    key: 'runbooks',
    fields: runbookFields,
    columns: ['uuid', 'name'],
    requests: traitRequests,
  },
  {
    command: 'inspection-rule',
    one: 'an inspection rule',
    path: '/v1/inspection_rules',
    key: 'inspection_rules',
    fields: inspectionRuleFields,
    columns: ['uuid', 'priority', 'phase', 'description'],
  },
  {
    command: 'image',
    one: 'an image of the catalogue, whose name nodes may have as image_source',
    path: '/v1/images',
    key: 'images',
    fields: imageFields,
    columns: ['uuid', 'name', 'architecture', 'state', 'used_by', 'source'],
  },
  {
    command: 'profile',
    one: 'a profile, which describes instances for node deploy --profile',
    path: '/v1/profiles',
    key: 'profiles',
    fields: profileFields,
    columns: ['uuid', 'name', 'image', 'hostname'],
  },
  {
    command: 'class',
    one: 'a hardware class: what machines with its name as resource_class must be made of',
    path: '/v1/hardware_classes',
    key: 'hardware_classes',
    fields: hardwareClassFields,
    columns: ['uuid', 'name', 'required', 'description'],
  },
  {
    command: 'expected',
    one: 'an expected machine: what is known of it before it is plugged in',
    path: '/v1/expected_machines',
    key: 'expected_machines',
    fields: expectedMachineFields,
    columns: ['uuid', 'name', 'serial_number', 'bmc_mac', 'bmc_address', 'resource_class'],
  },
  {
    command: 'discover',
    label: 'BMC',
    one: 'a BMC that the daemon found, by its UUID, IP address or MAC address',
    path: '/v1/found_bmcs',
    key: 'found_bmcs',
    fields: foundBmcFields,
    columns: ['address', 'mac', 'protocols', 'vendor', 'product', 'stage', 'node_uuid', 'last_seen'],
  },
  {
    command: 'volume-connector',
    one: 'a volume connector, by which a node reaches storage',
    path: '/v1/volume/connectors',
    key: 'connectors',
    fields: volumeConnectorFields,
    columns: ['uuid', 'node_uuid', 'type', 'connector_id'],
  },
  {
    command: 'volume-target',
    one: 'a volume target, a volume of a node',
    path: '/v1/volume/targets',
    key: 'targets',
    fields: volumeTargetFields,
    columns: ['uuid', 'node_uuid', 'volume_type', 'boot_index', 'volume_id'],
  },
  {
    command: 'chassis',
    one: 'a chassis, a group of nodes',
    path: '/v1/chassis',
    key: 'chassis',
    fields: chassisFields,
    columns: ['uuid', 'description'],
  },
  {
    command: 'driver',
    one: 'a hardware type, which names the interfaces that drive machines',
    path: '/v1/drivers',
    key: 'drivers',
    fields: {},
    columns: ['name', 'type', 'hosts'],
    requests: {
      properties: readingRequest('list the keys of driver_info that the hardware type reads', 'properties'),
      'raid-properties': readingRequest(
        'list the properties of logical disks',
        'raid/logical_disk_properties',
      ),
    },
    vendorMethods: true,
  },
  {
    command: 'conductor',
    one: 'a conductor, the part of the daemon that acts on machines',
    path: '/v1/conductors',
    key: 'conductors',
    fields: {},
    columns: ['hostname', 'conductor_group', 'alive'],
  },
] as const satisfies readonly RecordKind[];

export type RecordWord = (typeof kinds)[number]['command'];

export const recordKinds = new Map<RecordWord, RecordKind>(kinds.map((kind) => [kind.command, kind]));

/** The name of the argument that names a record. */
export const commandLabel = ({ command, label }: Pick<RecordKind, 'command' | 'label'>): string =>
  label ?? command.toUpperCase().replaceAll('-', '_');

export const pathOf = ({ path }: Pick<RecordKind, 'path'>, name: string): string =>
  `${path}/${encodeURIComponent(name)}`;
