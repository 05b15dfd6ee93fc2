// The calls on a node and its machine, on drivers and conductors, and those that wait.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { REPORT, type Site } from '../site.ts';
import { recordCalls } from './records.ts';
import type { Scenario, Scenarios, Sdk } from './sdk.ts';

const able = (site: Site, fields: object = {}) =>
  site.node({ driver: 'able-hardware', ...fields }, 'manageable');

async function createNode(sdk: Sdk, site: Site): Promise<void> {
  await recordCalls['create_node']?.(sdk, site);
  // the call itself goes on until the state is reached
  for (const provision_state of ['manageable', 'available']) {
    const made = await sdk.record('create_node', [], { driver: 'fake-hardware', provision_state });
    assert.equal(made['provision_state'], provision_state);
  }
}

async function listNodes(sdk: Sdk, site: Site): Promise<void> {
  await recordCalls['nodes']?.(sdk, site);
  const instance_id = site.uuid();
  const parent = await site.node();
  const special = await site.node({
    driver: 'manual-management',
    owner: 'sdk',
    shard: 'sdk-shard',
    resource_class: 'sdk-class',
    instance_uuid: instance_id,
    instance_name: 'sdk-i',
  });
  const child = await site.node({ parent_node: parent.uuid });
  const children = await sdk.records('nodes', { parent_node: parent.uuid });
  assert.deepEqual(children.map(({ id }) => id), [child.uuid]);
  assert.ok((await sdk.records('nodes', { include_children: true })).some(({ id }) => id === child.uuid));
  assert.deepEqual(await sdk.records('nodes', { fault: 'power failure' }), []);
  const filters = [
    { details: true, owner: 'sdk' },
    { shard: 'sdk-shard' },
    { resource_class: 'sdk-class' },
    { instance_id },
    { instance_name: 'sdk-i' },
    { driver: 'manual-management', provision_state: 'enroll', is_maintenance: false, associated: true },
    { conductor_group: '', shard: 'sdk-shard' },
  ];
  for (const filter of filters) {
    const found = await sdk.records('nodes', filter);
    assert.deepEqual(
      found.map(({ id }) => id),
      [special.uuid],
      JSON.stringify(filter),
    );
  }
}

async function patchNode(sdk: Sdk, site: Site): Promise<void> {
  await recordCalls['patch_node']?.(sdk, site);
  const { uuid } = await site.node();
  const change = [{ op: 'replace', path: '/driver', value: 'manual-management' }];
  const patched = await sdk.record('patch_node', [uuid, change], { reset_interfaces: true });
  assert.equal(patched['management_interface'], 'noop');
}

async function setProvisionState(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  for (const [verb, state] of [
    ['manage', 'manageable'],
    ['inspect', 'manageable'],
    ['provide', 'available'],
    ['manage', 'manageable'],
  ] as const) {
    const moved = await sdk.record('set_node_provision_state', [uuid, verb], { wait: true, timeout: 20 });
    assert.equal(moved['provision_state'], state, verb);
  }
  assert.match(await sdk.refused('set_node_provision_state', [uuid, 'manage']), /BadRequest.*"manageable"/);
  const bare = await site.node({ driver: 'ipmi' });
  const failed = await sdk.refused('set_node_provision_state', [bare.uuid, 'manage'], {
    wait: true,
    timeout: 20,
  });
  assert.match(failed, /ipmi_address/);
  for (const [verb, words, message] of phasesToCome) {
    const fresh = await site.node({}, verb === 'active' ? 'available' : 'manageable');
    assert.match(await sdk.refused('set_node_provision_state', [fresh.uuid, verb], words), message, verb);
  }
}

const CLEAN_STEPS = [{ interface: 'bios', step: 'apply_configuration', args: {} }];
const DEPLOY_STEPS = [{ interface: 'bios', step: 'apply_configuration', args: {}, priority: 10 }];

/** Verbs without a phase yet: refused, and the refusal says so. A phase that comes leaves this list. */
const phasesToCome = [
  ['adopt', {}, /does not support adopt/],
  ['clean', { clean_steps: CLEAN_STEPS }, /does not support clean/],
  [
    'active',
    { config_drive: { meta_data: { a: 1 } }, deploy_steps: DEPLOY_STEPS },
    /does not support active/,
  ],
  // nothing leads to the states that these start from yet
  ['rebuild', {}, /"rebuild" can not be performed/],
  ['deleted', {}, /"deleted" can not be performed/],
  ['rescue', { rescue_password: 's3cret' }, /"rescue" can not be performed/],
  ['unrescue', {}, /"unrescue" can not be performed/],
] as const;

async function setPowerState(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  for (const [target, state] of [
    ['power off', 'power off'],
    ['power on', 'power on'],
    ['rebooting', 'power on'],
    ['soft rebooting', 'power on'],
    ['soft power off', 'power off'],
  ] as const) {
    await sdk.done('set_node_power_state', [uuid, target], { wait: true, timeout: 20 });
    assert.equal((await site.daemon.node(uuid)).power_state, state, target);
  }
  assert.match(await sdk.refused('set_node_power_state', [uuid, 'levitate']), /levitate/);
}

/** A call that is accepted, and what the node is soon after it. */
const leadsTo =
  (
    call: string,
    args: readonly unknown[],
    reached: Parameters<Site['nodeWhen']>[1],
    prepare: (site: Site) => Promise<{ readonly uuid: string }> = able,
  ): Scenario =>
  async (sdk, site) => {
    const { uuid } = await prepare(site);
    assert.equal(reached(await site.daemon.node(uuid)), false);
    await sdk.done(call, [uuid, ...args]);
    await site.nodeWhen(uuid, reached);
    assert.match(await sdk.refused(call, ['nobody', ...args]), /nobody/);
  };

async function withConsole(site: Site) {
  const { uuid } = await able(site);
  await site.put(`/v1/nodes/${uuid}/states/console`, { enabled: true });
  return site.nodeWhen(uuid, ({ console_enabled }) => console_enabled);
}

async function getConsole(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await withConsole(site);
  assert.deepEqual(await sdk.done('get_node_console', [uuid]), {
    console_enabled: true,
    console_info: { type: 'socat', url: 'tcp://192.0.2.1:10000' },
  });
  assert.match(await sdk.refused('get_node_console', ['nobody']), /nobody/);
}

async function validateNode(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const verdicts = await sdk.record('validate_node', [uuid]);
  assert.partialDeepStrictEqual(verdicts, {
    power: { result: true, reason: null },
    deploy: { result: true },
    boot: { result: true },
  });
  const bare = await site.node({ driver: 'ipmi' });
  assert.match(await sdk.refused('validate_node', [bare.uuid]), /ipmi_address/);
  const lax = await sdk.record('validate_node', [bare.uuid], { required: [] });
  assert.partialDeepStrictEqual(lax, { power: { result: false }, network: { result: true } });
}

async function bootDevice(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  await sdk.done('set_node_boot_device', [uuid, 'disk'], { persistent: true });
  const { body } = await site.daemon.request('GET', `/v1/nodes/${uuid}/management/boot_device`);
  assert.deepEqual(body, { boot_device: 'disk', persistent: true });
  assert.match(await sdk.refused('set_node_boot_device', [uuid, 'tape']), /tape/);
}

async function getBootDevice(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  assert.deepEqual(await sdk.done('get_node_boot_device', [uuid]), { boot_device: 'pxe', persistent: false });
  assert.match(await sdk.refused('get_node_boot_device', ['nobody']), /nobody/);
}

async function supportedBootDevices(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  assert.deepEqual(await sdk.done('get_node_supported_boot_devices', [uuid]), {
    supported_boot_devices: ['pxe', 'disk'],
  });
  assert.match(await sdk.refused('get_node_supported_boot_devices', ['nobody']), /nobody/);
}

async function injectNmi(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  await sdk.done('inject_nmi_to_node', [uuid]);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), { driver_internal_info: { interrupts: 1 } });
  const fake = await site.node();
  assert.match(await sdk.refused('inject_nmi_to_node', [fake.uuid]), /does not support/);
}

async function getInventory(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.inspected();
  assert.partialDeepStrictEqual(await sdk.record('get_node_inventory', [uuid]), {
    inventory: (REPORT as { inventory: object }).inventory,
  });
  const { uuid: bare } = await site.node();
  assert.match(await sdk.refused('get_node_inventory', [bare]), /NotFound.*Inventory for node/);
}

async function listFirmware(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site, {
    driver_info: { firmware: [{ component: 'bmc', current_version: '1.0' }] },
  });
  assert.partialDeepStrictEqual(await sdk.done('list_node_firmware', [uuid]), {
    firmware: [{ component: 'bmc', current_version: '1.0' }],
  });
  assert.match(await sdk.refused('list_node_firmware', ['nobody']), /nobody/);
}

async function setMaintenance(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const node = await sdk.record('set_node_maintenance', [uuid, 'a broken disk']);
  assert.partialDeepStrictEqual(node, { is_maintenance: true, maintenance_reason: 'a broken disk' });
  assert.equal((await site.daemon.node(uuid)).maintenance_reason, 'a broken disk');
  assert.match(await sdk.refused('set_node_maintenance', ['nobody']), /nobody/);
}

async function unsetMaintenance(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
  const node = await sdk.record('unset_node_maintenance', [uuid]);
  assert.partialDeepStrictEqual(node, { is_maintenance: false, maintenance_reason: null });
  assert.equal((await site.daemon.node(uuid)).maintenance, false);
}

async function attachVif(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  const port = await site.made('/v1/ports', { node_uuid: uuid, address: site.mac() });
  const group = await site.made('/v1/portgroups', { node_uuid: uuid });
  await sdk.done('attach_vif_to_node', [uuid, 'vif-1']);
  await sdk.done('attach_vif_to_node', [uuid, 'vif-2'], { port: port.uuid });
  await sdk.done('attach_vif_to_node', [uuid, 'vif-3'], { port_group: group.uuid });
  assert.deepEqual((await site.daemon.node(uuid)).driver_internal_info['vifs'], [
    { id: 'vif-1' },
    { id: 'vif-2', port_uuid: port.uuid },
    { id: 'vif-3', portgroup_uuid: group.uuid },
  ]);
  const again = await sdk.refused('attach_vif_to_node', [uuid, 'vif-1'], { retry_on_conflict: false });
  assert.match(again, /Conflict.*vif-1 is attached/);
}

async function withVif(site: Site): Promise<string> {
  const { uuid } = await able(site);
  assert.equal((await site.daemon.request('POST', `/v1/nodes/${uuid}/vifs`, { id: 'vif-1' })).status, 204);
  return uuid;
}

async function detachVif(sdk: Sdk, site: Site): Promise<void> {
  const uuid = await withVif(site);
  assert.equal(await sdk.done('detach_vif_from_node', [uuid, 'vif-1']), true);
  assert.deepEqual(await site.shown(`/v1/nodes/${uuid}/vifs`), { vifs: [] });
  assert.equal(await sdk.done('detach_vif_from_node', [uuid, 'vif-1']), false);
}

async function listVifs(sdk: Sdk, site: Site): Promise<void> {
  assert.deepEqual(await sdk.done('list_node_vifs', [await withVif(site)]), ['vif-1']);
}

const CDROM = 'http://192.0.2.1/boot.iso';

async function attachMedia(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  await sdk.done('attach_vmedia_to_node', [uuid, 'cdrom', CDROM, 'http']);
  await site.nodeWhen(uuid, ({ driver_internal_info }) => driver_internal_info['cdrom'] === CDROM);
  assert.match(await sdk.refused('attach_vmedia_to_node', [uuid, 'tape', CDROM]), /tape/);
}

async function detachMedia(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  const detached = (devices: readonly string[]) =>
    site.nodeWhen(uuid, ({ driver_internal_info }) =>
      isDeepStrictEqual(driver_internal_info['detached'], devices),
    );
  await sdk.done('detach_vmedia_from_node', [uuid, ['floppy', 'disk']]);
  await detached(['floppy', 'disk']);
  await sdk.done('detach_vmedia_from_node', [uuid]);
  await detached(['cdrom', 'disk', 'floppy']);
  assert.match(await sdk.refused('detach_vmedia_from_node', [uuid, ['tape']]), /tape/);
}

async function callNodeVendor(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await able(site);
  for (const verb of ['GET', 'POST', 'PUT', 'DELETE']) {
    const answer = await sdk.done('call_node_vendor_passthru', [uuid, verb, 'echo', { a: 1 }]);
    assert.deepEqual(answer, { verb, given: { a: 1 } });
  }
  assert.equal(await sdk.done('call_node_vendor_passthru', [uuid, 'GET', 'peek']), 'seen');
  assert.match(await sdk.refused('call_node_vendor_passthru', [uuid, 'GET', 'unheard_of']), /unheard_of/);
}

async function listNodeVendor(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  assert.partialDeepStrictEqual(await sdk.record('list_node_vendor_passthru', [uuid]), {
    third_method_sync: { http_methods: ['POST'], async: false },
  });
}

async function addTrait(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await sdk.done('add_node_trait', [uuid, 'CUSTOM_GPU']);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_GPU']);
  assert.match(await sdk.refused('add_node_trait', [uuid, 'gpu']), /gpu/);
}

async function setTraits(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await sdk.done('set_node_traits', [uuid, ['CUSTOM_B', 'CUSTOM_A']]);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_A', 'CUSTOM_B']);
  assert.match(await sdk.refused('set_node_traits', [uuid, ['gpu']]), /gpu/);
}

async function removeTrait(sdk: Sdk, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_A', 'CUSTOM_B'] });
  assert.equal(await sdk.done('remove_node_trait', [uuid, 'CUSTOM_A']), true);
  assert.deepEqual((await site.daemon.node(uuid)).traits, ['CUSTOM_B']);
  // the SDK looks for another status than Ironic's when it is told to ignore one that is missing
  assert.match(await sdk.refused('remove_node_trait', [uuid, 'CUSTOM_A']), /NotFound.*have a trait CUSTOM_A/);
}

export const nodeCalls: Scenarios = {
  create_node: createNode,
  nodes: listNodes,
  patch_node: patchNode,
  set_node_provision_state: setProvisionState,
  set_node_power_state: setPowerState,
  set_node_boot_mode: leadsTo('set_node_boot_mode', ['uefi'], ({ boot_mode }) => boot_mode === 'uefi'),
  set_node_secure_boot: leadsTo('set_node_secure_boot', [true], ({ secure_boot }) => secure_boot === true),
  set_node_boot_device: bootDevice,
  get_node_boot_device: getBootDevice,
  get_node_supported_boot_devices: supportedBootDevices,
  enable_node_console: leadsTo('enable_node_console', [], ({ console_enabled }) => console_enabled),
  disable_node_console: leadsTo(
    'disable_node_console',
    [],
    ({ console_enabled }) => !console_enabled,
    withConsole,
  ),
  get_node_console: getConsole,
  validate_node: validateNode,
  inject_nmi_to_node: injectNmi,
  get_node_inventory: getInventory,
  list_node_firmware: listFirmware,
  set_node_maintenance: setMaintenance,
  unset_node_maintenance: unsetMaintenance,
  attach_vif_to_node: attachVif,
  detach_vif_from_node: detachVif,
  list_node_vifs: listVifs,
  attach_vmedia_to_node: attachMedia,
  detach_vmedia_from_node: detachMedia,
  call_node_vendor_passthru: callNodeVendor,
  list_node_vendor_passthru: listNodeVendor,
  add_node_trait: addTrait,
  set_node_traits: setTraits,
  remove_node_trait: removeTrait,
};
