// Simulated machines with BMCs of all eight kinds boot the daemon's CD images, for cleaning and for a deployment.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { plugInRedfishRack } from '../../../daemon/simulator/redfish-rack.ts';
import type { ShapeName } from '../../../daemon/simulator/redfish/fake-redfish.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { steer } from '../../fakes/daemon/steered-clock.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithout('xorriso') ||
  skipWithout('mtools') ||
  skipWithout('shim-signed') ||
  skipWithout('grub-efi-amd64-signed');

async function redfishSite(
  t: TestContext,
  kind: { readonly size: number; readonly shape: ShapeName | 'all' },
  environment: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'redfish-rack-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(path.join(folder, name), name);
  const clock = fakeClock();
  const bootPort = await freeTcpPort();
  const { url, services, log } = await startListening(t, {
    clock,
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
      IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'redfish-virtual-media,redfish-https,ipxe',
      IRONIC_DEFAULT__MY_IP: '127.0.0.1',
      IRONIC_BOOT_HTTP__PORT: String(bootPort),
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
      ...environment,
    },
  });
  const told: string[] = [];
  const rack = await plugInRedfishRack({
    ...kind,
    url,
    bootUrl: `http://127.0.0.1:${bootPort}`,
    clock,
    bootSeconds: 20,
    random: () => 0.5,
    tell: (machine, what) => told.push(`${machine} ${what}`),
  });
  t.after(() => {
    for (const { machine } of rack) machine.unplug();
  });
  const conversing = () => rack.some(({ guest }) => guest.conversing);
  return { rack, log, ...steer(t, { url, services, clock, machines: rack, conversing, told }) };
}

test('machines with BMCs of all eight kinds are cleaned and deployed from CD images', { skip }, async (t) => {
  const site = await redfishSite(t, { size: 8, shape: 'all' });
  const { rack } = site;
  for (const [index, { node }] of rack.entries()) {
    // `plain`, `dell10` and `supermicro`
    const bootInterface = [0, 2, 4].includes(index) ? 'redfish-https' : 'redfish-virtual-media';
    const instance = { image_source: 'http://images.test/debian.raw', image_checksum: 'a'.repeat(64) };
    const change = Object.entries({
      boot_interface: bootInterface,
      instance_info: { ...instance, image_disk_format: 'raw' },
    }).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    await site.request('PATCH', `/v1/nodes/${node}`, change);
    await site.provision(node, 'manage');
  }
  for (const { node } of rack) await site.reaches(node, 'manageable');
  for (const { node } of rack) await site.provision(node, 'provide');
  for (const { node } of rack) await site.reaches(node, 'available');
  for (const { guest } of rack) assert.deepEqual([guest.booted, guest.powerState], ['ramdisk', 'Off']);
  for (const { node } of rack) await site.provision(node, 'active');
  for (const { node } of rack) await site.reaches(node, 'active');
  await site.until(() => rack.every(({ guest }) => guest.booted === 'disk' && guest.powerState === 'On'));
});

test(
  'with fast track, one ramdisk inspects, cleans and deploys, whether the machine booted it from a CD or the network',
  { skip },
  async (t) => {
    const site = await redfishSite(t, { size: 3, shape: 'plain' }, { IRONIC_DEPLOY__FAST_TRACK: 'true' });
    const { rack } = site;
    for (const [index, boot_interface] of ['redfish-virtual-media', 'redfish-https', 'ipxe'].entries()) {
      const instance = { image_source: 'http://images.test/debian.raw', image_checksum: 'a'.repeat(64) };
      const fields = { boot_interface, inspect_interface: 'agent', instance_info: instance };
      const change = Object.entries(fields).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
      await site.request('PATCH', `/v1/nodes/${rack[index]?.node}`, change);
    }
    for (const [verb, state] of [
      ['manage', 'manageable'],
      ['inspect', 'manageable'],
      ['provide', 'available'],
      ['active', 'active'],
    ] as const) {
      for (const { node } of rack) await site.provision(node, verb);
      for (const { node } of rack) assert.equal((await site.reaches(node, state)).last_error, null);
    }
    await site.until(() => rack.every(({ guest }) => guest.booted === 'disk'));
    for (const { guest, machine } of rack) {
      assert.deepEqual(machine.boots, ['ramdisk', 'disk']);
      assert.deepEqual(guest.disk?.image_info['urls'], ['http://images.test/debian.raw']);
    }
  },
);

test(
  'a machine whose BMC neither shows nor takes a boot mode is deployed in the mode that it is in, with a warning',
  { skip },
  async (t) => {
    const site = await redfishSite(t, { size: 1, shape: 'hpe' });
    const [{ node, guest } = assert.fail()] = site.rack;
    const change = Object.entries({
      boot_interface: 'redfish-virtual-media',
      properties: { capabilities: 'boot_mode:bios' },
      instance_info: {
        image_source: 'http://images.test/debian.raw',
        image_checksum: 'a'.repeat(64),
        image_disk_format: 'raw',
        capabilities: { boot_mode: 'bios' },
      },
    }).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    await site.request('PATCH', `/v1/nodes/${node}`, change);
    for (const [verb, state] of [
      ['manage', 'manageable'],
      ['provide', 'available'],
      ['active', 'active'],
    ] as const) {
      await site.provision(node, verb);
      await site.reaches(node, state);
    }
    await site.until(() => guest.booted === 'disk' && guest.powerState === 'On');
    assert.match(site.log(), /the BMC does not report the boot mode; the daemon does not change it/);
  },
);
