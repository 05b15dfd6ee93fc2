// openstacksdk's calls on the machine of a node: power, boot, console, NMI, inventory, firmware, VIFs, virtual media and vendor
// methods.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { REPORT, type Site } from '../site.ts';
import type { Scenario, Scenarios, Library } from '../library.ts';

async function setPowerState(sdk: Library, site: Site): Promise<void> {
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

/** Checks that the node fulfils `reached` after the call but not before, and that the call is refused for an unknown node. */
const leadsTo =
  (
    call: string,
    args: readonly unknown[],
    reached: Parameters<Site['nodeWhen']>[1],
    prepare: (site: Site) => Promise<{ readonly uuid: string }> = (site) => site.able(),
  ): Scenario =>
  async (sdk, site) => {
    const { uuid } = await prepare(site);
    assert.equal(reached(await site.daemon.node(uuid)), false);
    await sdk.done(call, [uuid, ...args]);
    await site.nodeWhen(uuid, reached);
    assert.match(await sdk.refused(call, ['nobody', ...args]), /nobody/);
  };

async function getConsole(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.withConsole();
  assert.deepEqual(await sdk.done('get_node_console', [uuid]), {
    console_enabled: true,
    console_info: { type: 'socat', url: 'tcp://192.0.2.1:10000' },
  });
  assert.match(await sdk.refused('get_node_console', ['nobody']), /nobody/);
}

async function bootDevice(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await sdk.done('set_node_boot_device', [uuid, 'disk'], { persistent: true });
  const { body } = await site.daemon.request('GET', `/v1/nodes/${uuid}/management/boot_device`);
  assert.deepEqual(body, { boot_device: 'disk', persistent: true });
  assert.match(await sdk.refused('set_node_boot_device', [uuid, 'tape']), /tape/);
}

async function getBootDevice(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  assert.deepEqual(await sdk.done('get_node_boot_device', [uuid]), { boot_device: 'pxe', persistent: false });
  assert.match(await sdk.refused('get_node_boot_device', ['nobody']), /nobody/);
}

async function supportedBootDevices(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  assert.deepEqual(await sdk.done('get_node_supported_boot_devices', [uuid]), {
    supported_boot_devices: ['pxe', 'disk'],
  });
  assert.match(await sdk.refused('get_node_supported_boot_devices', ['nobody']), /nobody/);
}

async function injectNmi(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await sdk.done('inject_nmi_to_node', [uuid]);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), { driver_internal_info: { interrupts: 1 } });
  const fake = await site.node();
  assert.match(await sdk.refused('inject_nmi_to_node', [fake.uuid]), /does not support/);
}

async function getInventory(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.inspected();
  assert.partialDeepStrictEqual(await sdk.record('get_node_inventory', [uuid]), {
    inventory: (REPORT as { inventory: object }).inventory,
  });
  const { uuid: bare } = await site.node();
  assert.match(await sdk.refused('get_node_inventory', [bare]), /NotFound.*Inventory for node/);
}

async function listFirmware(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able({
    driver_info: { firmware: [{ component: 'bmc', current_version: '1.0' }] },
  });
  assert.partialDeepStrictEqual(await sdk.done('list_node_firmware', [uuid]), {
    firmware: [{ component: 'bmc', current_version: '1.0' }],
  });
  assert.match(await sdk.refused('list_node_firmware', ['nobody']), /nobody/);
}

async function attachVif(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  const port = await site.made('/v1/ports', { node_uuid: uuid, address: site.mac() });
  const group = await site.made('/v1/portgroups', { node_uuid: uuid });
  await sdk.done('attach_vif_to_node', [uuid, 'vif-1']);
  if (sdk.newest) {
    await sdk.done('attach_vif_to_node', [uuid, 'vif-2'], { port: port.uuid });
    await sdk.done('attach_vif_to_node', [uuid, 'vif-3'], { port_group: group.uuid });
  }
  const onPorts = [
    { id: 'vif-2', port_uuid: port.uuid },
    { id: 'vif-3', portgroup_uuid: group.uuid },
  ];
  const { driver_internal_info } = await site.daemon.node(uuid);
  assert.deepEqual(driver_internal_info['vifs'], [{ id: 'vif-1' }, ...(sdk.newest ? onPorts : [])]);
  const again = await sdk.refused('attach_vif_to_node', [uuid, 'vif-1'], { retry_on_conflict: false });
  assert.match(again, /Conflict.*vif-1 is already attached/);
}

async function detachVif(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.withVif();
  assert.equal(await sdk.done('detach_vif_from_node', [uuid, 'vif-1']), true);
  assert.deepEqual(await site.shown(`/v1/nodes/${uuid}/vifs`), { vifs: [] });
  assert.equal(await sdk.done('detach_vif_from_node', [uuid, 'vif-1']), false);
}

async function listVifs(sdk: Library, site: Site): Promise<void> {
  assert.deepEqual(await sdk.done('list_node_vifs', [(await site.withVif()).uuid]), ['vif-1']);
}

const CDROM = 'http://192.0.2.1/boot.iso';

async function attachMedia(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await sdk.done('attach_vmedia_to_node', [uuid, 'cdrom', CDROM, 'http']);
  await site.nodeWhen(uuid, ({ driver_internal_info }) => driver_internal_info['cdrom'] === CDROM);
  assert.match(await sdk.refused('attach_vmedia_to_node', [uuid, 'tape', CDROM]), /tape/);
}

async function detachMedia(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
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

async function callNodeVendor(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  for (const verb of ['GET', 'POST', 'PUT', 'DELETE']) {
    const answer = await sdk.done('call_node_vendor_passthru', [uuid, verb, 'echo', { a: 1 }]);
    assert.deepEqual(answer, { verb, given: { a: 1 } });
  }
  assert.equal(await sdk.done('call_node_vendor_passthru', [uuid, 'GET', 'peek']), 'seen');
  assert.match(await sdk.refused('call_node_vendor_passthru', [uuid, 'GET', 'unheard_of']), /unheard_of/);
}

async function listNodeVendor(sdk: Library, site: Site): Promise<void> {
  const { uuid } = await site.node();
  assert.partialDeepStrictEqual(await sdk.record('list_node_vendor_passthru', [uuid]), {
    third_method_sync: { http_methods: ['POST'], async: false },
  });
}

export const machineCalls: Scenarios = {
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
    (site) => site.withConsole(),
  ),
  get_node_console: getConsole,
  inject_nmi_to_node: injectNmi,
  get_node_inventory: getInventory,
  list_node_firmware: listFirmware,
  attach_vif_to_node: attachVif,
  detach_vif_from_node: detachVif,
  list_node_vifs: listVifs,
  attach_vmedia_to_node: attachMedia,
  detach_vmedia_from_node: detachMedia,
  call_node_vendor_passthru: callNodeVendor,
  list_node_vendor_passthru: listNodeVendor,
};
