// A daemon with at least one record of every kind in the API, all with fixed UUIDs or names.
import { hardwareIn } from '../../../daemon/model/hardware/hardware.ts';
import { draftRecord } from '../../../daemon/conductor/records/new-record.ts';
import { type FoundBmc, foundBmcFields } from '../../../daemon/model/zero-touch/found-bmc.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { NodeHistory } from '../../../daemon/model/records/node-history.ts';
import { type AbleSession, startAbleSession } from './able-session.ts';
import { expectReply } from '../clients/api-replies.ts';
import { disk } from '../images.ts';
import type { Ending } from './in-process-daemon.ts';

const uuid = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;

export const CHASSIS = uuid(1);
/** Named `machine`: of type `able-hardware`, manageable, powered off, with BIOS settings, firmware, history, inventory. */
export const NODE = uuid(2);
export const CHILD = uuid(3);
/** Named `in-use`: active, with an allocation named `use`. */
export const ACTIVE = uuid(4);
export const PORTGROUP = uuid(5);
export const PORT = uuid(6);
export const CONNECTOR = uuid(7);
export const TARGET = uuid(8);
export const RULE = uuid(9);
export const HISTORY = '00000000-0000-4000-8000-000000000010';
/** The address of a found BMC. */
export const BMC = '127.0.9.1';
export const INSTANCE = '00000000-0000-4000-8000-000000000011';
/** The allocation `use`: the allocation of a node in use gets the node's `instance_uuid` as its UUID. */
export const ALLOCATION = INSTANCE;

const INVENTORY = JSON.stringify({
  cpu: { architecture: 'x86_64' },
  interfaces: [{ name: 'eth0', mac_address: '52:54:00:00:00:01' }],
});
const STEP = { interface: 'bios', step: 'apply_configuration', args: {} };
const driver_info = {
  settings: [{ name: 'VT', value: 'Enabled', attribute_type: 'Enumeration' }],
  firmware: [{ component: 'bmc', current_version: '1.0' }],
};

const records: readonly (readonly [path: string, fields: object])[] = [
  ['chassis', { uuid: CHASSIS }],
  ['nodes', { uuid: NODE, name: 'machine', driver: 'able-hardware', chassis_uuid: CHASSIS, driver_info }],
  ['nodes', { uuid: CHILD, name: 'child', driver: 'fake-hardware', parent_node: 'machine' }],
  [
    'nodes',
    { uuid: ACTIVE, name: 'in-use', driver: 'fake-hardware', instance_uuid: INSTANCE, resource_class: 'c' },
  ],
  ['portgroups', { uuid: PORTGROUP, name: 'bond', node_uuid: NODE }],
  [
    'ports',
    {
      uuid: PORT,
      name: 'nic',
      address: '52:54:00:00:00:01',
      node_uuid: NODE,
      portgroup_uuid: PORTGROUP,
    },
  ],
  ['volume/connectors', { uuid: CONNECTOR, node_uuid: NODE, type: 'iqn', connector_id: 'iqn.x' }],
  ['volume/targets', { uuid: TARGET, node_uuid: NODE, volume_type: 'iscsi', volume_id: 'v', boot_index: 0 }],
  ['deploy_templates', { name: 'CUSTOM_TEMPLATE', steps: [{ ...STEP, priority: 1 }] }],
  ['runbooks', { name: 'CUSTOM_RUNBOOK', steps: [{ ...STEP, order: 1 }] }],
  ['images', { name: 'web', source: 'oci://registry.test/web:1' }],
  ['hardware_classes', { name: 'web', cpus: 2 }],
  ['expected_machines', { name: 'web-7', serial_number: 'S1' }],
  ['profiles', { name: 'web', image: 'web', hostname: 'web-{n}' }],
  ['inspection_rules', { uuid: RULE, actions: [{ op: 'log', args: { msg: 'hello' } }] }],
];

const historyEntry: NodeHistory = {
  uuid: HISTORY,
  node_uuid: NODE,
  created_at: '2026-01-02T03:04:05+00:00',
  severity: 'ERROR',
  event: 'it broke',
  event_type: 'verify',
  conductor: 'lab-host',
  user: null,
  state: 'verifying',
  target_provision_state: 'manageable',
  duration_seconds: 3,
};

export async function startPopulated(test: Ending): Promise<AbleSession> {
  const api = await startAbleSession(test);
  const { nodes, history, inventory, hardware, foundBmcs } = api.services.db;
  const image = path.join(api.stateDirectory, 'agent-images', 'd.img');
  mkdirSync(path.dirname(image));
  writeFileSync(image, disk());
  await expectReply(
    api.request('POST', '/v1/images', { body: { name: 'local', source: `file://${image}` } }),
    201,
  );
  for (const [list, body] of records) await expectReply(api.request('POST', `/v1/${list}`, { body }), 201);
  await expectReply(
    api.request('PUT', `/v1/nodes/${NODE}/states/provision`, { body: { target: 'manage' } }),
    202,
  );
  await api.settled(NODE);
  nodes.update(NODE, { power_state: 'power off', target_power_state: null });
  nodes.update(ACTIVE, { provision_state: 'active', power_state: 'power on' });
  await expectReply(
    api.request('POST', '/v1/allocations', { body: { name: 'use', node: 'in-use', resource_class: 'c' } }),
    201,
  );
  foundBmcs.insert(draftRecord<FoundBmc>(foundBmcFields, { address: BMC, mac: '52:54:00:00:09:01' }));
  history.insert(historyEntry);
  hardware.put({
    node_uuid: NODE,
    source: 'agent',
    inspected_at: historyEntry.created_at,
    compared_with: null,
    hardware: hardwareIn({}, {}).hardware,
    compared: [],
    changes: [],
  });
  inventory.put(NODE, historyEntry.created_at, { inventory: INVENTORY, plugin_data: '{}' });
  return api;
}
