// gophercloud's calls on the machine of a node: power, NMI, boot device, RAID, BIOS, firmware, inventory, virtual media, VIFs and
// vendor methods.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Library, Scenario, Scenarios } from '../library.ts';
import { REPORT, type Site } from '../site.ts';

async function injectNmi(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await go.done('nodes.InjectNMI', [uuid]);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), { driver_internal_info: { interrupts: 1 } });
  const fake = await site.node();
  assert.match(await go.refused('nodes.InjectNMI', [fake.uuid]), /does not support/);
}

async function setBootDevice(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await go.done('nodes.SetBootDevice', [uuid, { boot_device: 'disk', persistent: true }]);
  const { body } = await site.daemon.request('GET', `/v1/nodes/${uuid}/management/boot_device`);
  assert.deepEqual(body, { boot_device: 'disk', persistent: true });
  assert.match(await go.refused('nodes.SetBootDevice', [uuid, { boot_device: 'tape' }]), /400.*tape/s);
}

async function getBootDevice(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  assert.deepEqual(await go.done('nodes.GetBootDevice', [uuid]), { boot_device: 'pxe', persistent: false });
  assert.match(await go.refused('nodes.GetBootDevice', ['nobody']), /404.*nobody/s);
}

async function supportedBootDevices(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  assert.deepEqual(await go.done('nodes.GetSupportedBootDevices', [uuid]), ['pxe', 'disk']);
  assert.match(await go.refused('nodes.GetSupportedBootDevices', ['nobody']), /404.*nobody/s);
}

async function changePowerState(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  for (const [target, reached] of [
    ['power off', 'power off'],
    ['power on', 'power on'],
    ['soft power off', 'power off'],
    ['rebooting', 'power on'],
  ] as const) {
    await go.done('nodes.ChangePowerState', [uuid, { target, timeout: 5 }]);
    await site.nodeWhen(uuid, ({ power_state }) => power_state === reached);
  }
  assert.match(await go.refused('nodes.ChangePowerState', [uuid, { target: 'levitate' }]), /400.*levitate/s);
}

async function setRaidConfig(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  const disk = { size_gb: 10, raid_level: '1+0', is_root_volume: true };
  // for a logical disk without a size, gophercloud sends the size MAX
  await go.done('nodes.SetRAIDConfig', [uuid, { logical_disks: [disk, { raid_level: '0' }] }]);
  assert.deepEqual((await site.daemon.node(uuid)).target_raid_config, {
    logical_disks: [disk, { size_gb: 'MAX', raid_level: '0' }],
  });
  const bad = { logical_disks: [{ size_gb: 1, raid_level: '7' }] };
  assert.match(await go.refused('nodes.SetRAIDConfig', [uuid, bad]), /400.*raid_level/s);
}

const settings = [
  { name: 'Virtualization', value: 'Enabled', attribute_type: 'Enumeration', read_only: false },
  { name: 'Asset', value: null },
];

async function listBios(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able({ driver_info: { settings } });
  const [, short] = await go.records('nodes.ListBIOSSettings', [uuid]);
  assert.partialDeepStrictEqual(short, { name: 'Virtualization', value: 'Enabled', attribute_type: '' });
  const [, long] = await go.records('nodes.ListBIOSSettings', [uuid, { Detail: true }]);
  assert.partialDeepStrictEqual(long, { attribute_type: 'Enumeration', read_only: false });
  const [, named] = await go.records('nodes.ListBIOSSettings', [uuid, { Fields: ['name', 'read_only'] }]);
  assert.partialDeepStrictEqual(named, { name: 'Virtualization', value: '', read_only: false });
}

async function getBios(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able({ driver_info: { settings } });
  assert.partialDeepStrictEqual(await go.done('nodes.GetBIOSSetting', [uuid, 'Virtualization']), {
    Virtualization: settings[0],
  });
  assert.match(await go.refused('nodes.GetBIOSSetting', [uuid, 'Other']), /404.*Other/s);
}

async function listFirmware(go: Library, site: Site): Promise<void> {
  const firmware = [{ component: 'bmc', current_version: '1.0', vendor: 'Acme' }];
  const { uuid } = await site.able({ driver_info: { firmware } });
  assert.partialDeepStrictEqual(await go.done('nodes.ListFirmware', [uuid]), firmware);
}

async function getInventory(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.inspected();
  const data = await go.record('nodes.GetInventory', [uuid]);
  const { inventory } = REPORT as { readonly inventory: { readonly cpu: { readonly count: number } } };
  assert.partialDeepStrictEqual(data, { inventory: { cpu: { count: inventory.cpu.count } } });
  const bare = await site.node();
  assert.match(await go.refused('nodes.GetInventory', [bare.uuid]), /404.*Inventory for node/s);
}

const IMAGE = 'http://192.0.2.1/boot.iso';

async function attachMedia(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  const medium = { device_type: 'cdrom', image_url: IMAGE, image_download_source: 'http' };
  await go.done('nodes.AttachVirtualMedia', [uuid, medium]);
  await site.nodeWhen(uuid, ({ driver_internal_info }) => driver_internal_info['cdrom'] === IMAGE);
  assert.deepEqual(await go.done('nodes.GetVirtualMedia', [uuid]), [
    { media_types: ['CD', 'DVD'], inserted: true, image: IMAGE },
  ]);
  const tape = { ...medium, device_type: 'tape' };
  assert.match(await go.refused('nodes.AttachVirtualMedia', [uuid, tape]), /400.*device_type/s);
}

async function detachMedia(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await go.done('nodes.DetachVirtualMedia', [uuid, { DeviceTypes: ['cdrom', 'floppy'] }]);
  await site.nodeWhen(uuid, ({ driver_internal_info }) =>
    isDeepStrictEqual(driver_internal_info['detached'], ['cdrom', 'floppy']),
  );
}

async function getMedia(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  assert.deepEqual(await go.done('nodes.GetVirtualMedia', [uuid]), [
    { media_types: ['CD', 'DVD'], inserted: false, image: null },
  ]);
  const fake = await site.node();
  assert.match(await go.refused('nodes.GetVirtualMedia', [fake.uuid]), /does not support/);
}

async function attachVif(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  const port = await site.made('/v1/ports', { node_uuid: uuid, address: site.mac() });
  await go.done('nodes.AttachVirtualInterface', [uuid, { id: 'vif-1', port_uuid: port.uuid }]);
  assert.deepEqual((await site.daemon.node(uuid)).driver_internal_info['vifs'], [
    { id: 'vif-1', port_uuid: port.uuid },
  ]);
  const again = await go.refused('nodes.AttachVirtualInterface', [uuid, { id: 'vif-1' }]);
  assert.match(again, /409.*vif-1 is already attached/s);
}

async function detachVif(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.withVif();
  await go.done('nodes.DetachVirtualInterface', [uuid, 'vif-1']);
  assert.deepEqual(await site.shown(`/v1/nodes/${uuid}/vifs`), { vifs: [] });
  assert.match(await go.refused('nodes.DetachVirtualInterface', [uuid, 'vif-1']), /400.*not attached/s);
}

async function listVifs(go: Library, site: Site): Promise<void> {
  assert.deepEqual(await go.done('nodes.ListVirtualInterfaces', [(await site.withVif()).uuid]), [
    { id: 'vif-1' },
  ]);
}

async function callVendor(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.deepEqual(
      await go.done('nodes.CallVendorPassthru', [uuid, verb, { Method: 'echo', Body: { a: 1 } }]),
      { verb, given: { a: 1 } },
    );
  }
  const refused = await go.refused('nodes.CallVendorPassthru', [uuid, 'POST', { Method: 'refuse' }]);
  assert.match(refused, /409.*not now/s);
}

async function listVendor(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  assert.partialDeepStrictEqual(await go.done('nodes.ListVendorPassthruMethods', [uuid]), {
    peek: { http_methods: ['GET'], async: false, require_exclusive_lock: false },
  });
}

async function vendorMethods(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  assert.partialDeepStrictEqual(await go.done('nodes.GetVendorPassthruMethods', [uuid]), {
    keep: { http_methods: ['POST'], async: true },
  });
}

/**
 * gophercloud's calls for subscriptions call a vendor method, which the caller names. The scenario names `echo`, which returns the
 * verb and the arguments that it was sent, and then a method that does not exist.
 */
const subscription =
  (call: string, verb: string, options: readonly object[], given: object): Scenario =>
  async (go, site) => {
    const { uuid } = await site.able();
    assert.deepEqual(await go.done(call, [uuid, { Method: 'echo' }, ...options]), { verb, given });
    assert.match(await go.refused(call, [uuid, { Method: 'unheard_of' }, ...options]), /400.*unheard_of/s);
  };

async function deleteSubscription(go: Library, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await go.done('nodes.DeleteSubscription', [uuid, { Method: 'echo' }, { id: 's1' }]);
  const refused = await go.refused('nodes.DeleteSubscription', [uuid, { Method: 'keep' }, { id: 's1' }]);
  assert.match(refused, /400.*DELETE/s);
}

const TARGET = { Destination: 'https://192.0.2.1/', Context: 'c', Protocol: 'Redfish' };

export const machineCalls: Scenarios = {
  'nodes.InjectNMI': injectNmi,
  'nodes.SetBootDevice': setBootDevice,
  'nodes.GetBootDevice': getBootDevice,
  'nodes.GetSupportedBootDevices': supportedBootDevices,
  'nodes.ChangePowerState': changePowerState,
  'nodes.SetRAIDConfig': setRaidConfig,
  'nodes.ListBIOSSettings': listBios,
  'nodes.GetBIOSSetting': getBios,
  'nodes.ListFirmware': listFirmware,
  'nodes.GetInventory': getInventory,
  'nodes.AttachVirtualMedia': attachMedia,
  'nodes.DetachVirtualMedia': detachMedia,
  'nodes.GetVirtualMedia': getMedia,
  'nodes.AttachVirtualInterface': attachVif,
  'nodes.DetachVirtualInterface': detachVif,
  'nodes.ListVirtualInterfaces': listVifs,
  'nodes.CallVendorPassthru': callVendor,
  'nodes.ListVendorPassthruMethods': listVendor,
  'nodes.GetVendorPassthruMethods': vendorMethods,
  'nodes.GetAllSubscriptions': subscription('nodes.GetAllSubscriptions', 'GET', [], {}),
  'nodes.GetSubscription': subscription('nodes.GetSubscription', 'GET', [{ id: 's1' }], { id: 's1' }),
  'nodes.CreateSubscription': subscription('nodes.CreateSubscription', 'POST', [TARGET], TARGET),
  'nodes.DeleteSubscription': deleteSubscription,
};
