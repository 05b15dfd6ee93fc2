// Creates one to three records of each resource that clients can create at the API versions that both sides support. Both sides
// get the same records.
import { type Conversation, uuid } from '../conversation.ts';

export const NODE = uuid(1);
export const OTHER = uuid(2);
export const CHILD = uuid(3);
export const PORT = uuid(11);
export const PORTGROUP = uuid(21);
export const CHASSIS = uuid(31);
export const CONNECTOR = uuid(41);
export const TARGET = uuid(51);
export const TEMPLATE = uuid(61);
export const RUNBOOK = uuid(71);
export const RULE = uuid(81);
export const ALLOCATION = uuid(91);

const STEP = { interface: 'bios', step: 'factory_reset', args: {} };

export async function populate(both: Conversation): Promise<void> {
  const since = (minor: number, method: 'POST' | 'PUT', path: string, body: unknown) =>
    both.maximum >= minor ? both.quietly(method, path, body) : Promise.resolve();
  await both.quietly('POST', '/v1/chassis', { uuid: CHASSIS, description: 'rack 7', extra: { row: 1 } });
  await both.quietly('POST', '/v1/nodes', {
    uuid: NODE,
    name: 'node-1',
    driver: 'fake-hardware',
    chassis_uuid: CHASSIS,
    resource_class: 'gold',
    driver_info: {
      ipmi_password: 'secret',
      deploy_kernel: 'http://127.0.0.1:9/k',
      nested: { auth_token: 'x' },
    },
    properties: {
      cpus: 4,
      memory_mb: '8192',
      local_gb: 100,
      cpu_arch: 'x86_64',
      capabilities: 'boot_mode:uefi',
    },
    instance_info: { image_source: 'http://127.0.0.1:9/i', configdrive: 'aGk=', image_url: 'http://x/' },
    extra: { note: 'ä€', list: [{ password: 'p' }] },
    owner: null,
    lessee: 'tenant',
    description: 'the first',
    conductor_group: '',
    automated_clean: false,
    retired_reason: null,
    shard: 's1',
  });
  await both.quietly('POST', '/v1/nodes', {
    uuid: OTHER,
    driver: 'fake-hardware',
    bios_interface: 'no-bios',
  });
  await since(83, 'POST', '/v1/nodes', {
    uuid: CHILD,
    name: 'child',
    driver: 'fake-hardware',
    parent_node: NODE,
  });
  await both.quietly('POST', '/v1/portgroups', {
    uuid: PORTGROUP,
    name: 'bond-0',
    node_uuid: NODE,
    address: '52:54:00:AA:00:01',
    properties: { miimon: 100 },
    extra: { a: 1 },
  });
  await both.quietly('POST', '/v1/ports', {
    uuid: PORT,
    node_uuid: NODE,
    address: '52:54:00:AA:00:02',
    portgroup_uuid: PORTGROUP,
    physical_network: 'net1',
    local_link_connection: { switch_id: '0A:1B:2C:3D:4E:5F', port_id: 'eth1', switch_info: 's' },
    extra: { a: 1 },
  });
  await both.quietly('POST', '/v1/ports', { uuid: uuid(12), node_uuid: OTHER, address: '52:54:00:aa:00:03' });
  await both.quietly('PUT', `/v1/nodes/${NODE}/traits`, {
    traits: ['CUSTOM_B', 'CUSTOM_A', 'HW_CPU_X86_VMX'],
  });
  await both.quietly('POST', '/v1/volume/connectors', {
    uuid: CONNECTOR,
    node_uuid: NODE,
    type: 'iqn',
    connector_id: 'iqn.2017-05.org.example:one',
    extra: { a: 1 },
  });
  await both.quietly('POST', '/v1/volume/targets', {
    uuid: TARGET,
    node_uuid: NODE,
    volume_type: 'iscsi',
    volume_id: 'v1',
    boot_index: 0,
    properties: { auth_password: 'p', target_iqn: 'iqn' },
  });
  await both.quietly('POST', '/v1/deploy_templates', {
    uuid: TEMPLATE,
    name: 'CUSTOM_TEMPLATE',
    steps: [{ ...STEP, priority: 10, args: { password: 'p', b: 1 } }],
    extra: { a: 1 },
  });
  await since(92, 'POST', '/v1/runbooks', {
    uuid: RUNBOOK,
    name: 'CUSTOM_RUNBOOK',
    steps: [{ ...STEP, order: 1 }],
  });
  await since(112, 'PUT', `/v1/runbooks/${RUNBOOK}/traits`, { traits: ['CUSTOM_A'] });
  await since(96, 'POST', '/v1/inspection_rules', {
    uuid: RULE,
    description: 'first',
    priority: 5,
    conditions: [{ op: 'eq', args: { values: ['{inventory[cpu][count]}', 4] } }],
    actions: [{ op: 'set-attribute', args: { path: '/extra/cpus', value: '4' } }],
  });
  await both.quietly('POST', '/v1/allocations', {
    uuid: ALLOCATION,
    name: 'lost',
    resource_class: 'none-such',
  });
}
