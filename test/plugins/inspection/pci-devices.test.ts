import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { pciDevices } from '../../../plugins/inspection/pci-devices.ts';
import { draftOf } from './draft.ts';

const A10 = { vendor_id: '10de', product_id: '2236' };
const E810 = { vendor_id: '8086', product_id: '1592' };
const aliases = [
  { ...A10, name: 'gpu_a10' },
  { ...E810, name: 'e810' },
].map((alias) => JSON.stringify(alias));

function after(devices: Json | undefined, pci_device_alias: readonly string[] = aliases) {
  const draft = draftOf({
    pluginData: devices === undefined ? {} : { pci_devices: devices },
    properties: { capabilities: 'boot_mode:uefi,gpu_a10:7' },
    inspector: { pci_device_alias },
  });
  pciDevices.call?.(draft);
  return draft;
}

test('devices are counted by alias regardless of the case of their ids', () => {
  const upper: JsonObject = { vendor_id: '10DE', product_id: '2236' };
  const { node } = after([A10, E810, upper, null, 5, {}]);
  assert.equal(node.properties['capabilities'], 'boot_mode:uefi,gpu_a10:2,e810:1');
});

test('the capability of an alias that matches no device stays', () => {
  assert.equal(after([E810]).node.properties['capabilities'], 'boot_mode:uefi,gpu_a10:7,e810:1');
  assert.equal(after([{}]).node.properties['capabilities'], 'boot_mode:uefi,gpu_a10:7');
});

test('without PCI devices nothing changes, and a warning is logged if aliases are configured', () => {
  for (const devices of [undefined, null, [], {}]) {
    const draft = after(devices);
    assert.equal(draft.node.properties['capabilities'], 'boot_mode:uefi,gpu_a10:7');
    assert.match(draft.warnings.join(), /no pci_devices/);
    assert.deepEqual(after(devices, []).warnings, []);
  }
});

test('an invalid pci_device_alias is refused at startup', () => {
  const refused = ['', '{', '[]', '5', JSON.stringify(A10), JSON.stringify({ ...A10, name: 'a,b' })];
  refused.push(JSON.stringify({ ...A10, name: 'a', more: 1 }), JSON.stringify({ ...A10, name: 5 }));
  for (const alias of refused) {
    assert.throws(
      () => pciDevices.checkConfiguration?.({ inspector: { pci_device_alias: [alias] } }),
      /^Error: \[inspector\] pci_device_alias: .*: expected an object such as \{"vendor_id"/,
      alias,
    );
  }
});
