import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { redfishInspect } from '../../../../plugins/redfish/inspect/inspect.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

interface Report {
  readonly inventory: {
    readonly memory: JsonObject;
    readonly cpu: JsonObject;
    readonly disks: readonly JsonObject[];
    readonly interfaces: readonly JsonObject[];
    readonly system_vendor: JsonObject;
  };
  readonly pluginData?: JsonObject;
}

const inspected = async ({ task }: RedfishLab) =>
  (await redfishInspect.inspectHardware(task)) as unknown as Report;

test('the BMC reports memory, processors, disks, network cards and neighbours', async (t) => {
  const lab = await redfishLab(t);
  const { inventory, pluginData } = await inspected(lab);
  assert.deepEqual(inventory.memory, { physical_mb: 65_536 });
  assert.deepEqual(inventory.cpu, {
    count: 64,
    architecture: 'x86_64',
    model_name: 'Processor 1',
    frequency: 3000,
  });
  assert.deepEqual(inventory.disks[0], { name: 'Drive D1', size: 480_000_000_000 });
  assert.deepEqual(inventory.interfaces[0], {
    mac_address: '52:54:00:cc:00:01',
    name: 'NIC.1',
    speed_mbps: 10_000,
  });
  assert.deepEqual((pluginData as { parsed_lldp: JsonObject }).parsed_lldp['1'], {
    switch_chassis_id: '02:00:00:00:00:0a',
    switch_port_id: '02:00:00:00:00:11',
    switch_system_name: 'switch-1',
  });
  const { memory_mb, cpu_arch, local_gb, capabilities } = lab.task.node.properties;
  assert.deepEqual([memory_mb, cpu_arch, local_gb, capabilities], [65_536, 'x86_64', 446, 'boot_mode:uefi']);
});

test('MAC addresses that the network cards hide are taken from the adapters, with a warning', async (t) => {
  const lab = await redfishLab(t, { shape: 'dell10' });
  const { inventory } = await inspected(lab);
  assert.deepEqual(
    inventory.interfaces.map(({ mac_address }) => mac_address),
    ['52:54:00:cc:00:01', '52:54:00:cc:00:02'],
  );
  assert.match(JSON.stringify(lab.task.logged), /the MAC addresses of its network adapters are used/);
});

test('the disks of an inventory are the volumes, where there are any, and not the drives below them', async (t) => {
  const lab = await redfishLab(t);
  lab.machine.volumes.set('/redfish/v1/Systems/1/Storage/S1/Volumes/V1', {
    Id: 'V1',
    Name: 'root',
    CapacityBytes: 100_000_000_000,
  });
  const { inventory } = await inspected(lab);
  assert.deepEqual(inventory.disks, [{ name: 'root', size: 100_000_000_000 }]);
});

test('a second inspection needs at most nine requests when the BMC expands collections', async (t) => {
  const lab = await redfishLab(t, { differences: { expand: true } });
  await lab.task.update({});
  await inspected(lab);
  lab.bmc.forget();
  await inspected(lab);
  const requests = lab.bmc.forget();
  assert.ok(requests.length <= 9, requests.join('\n'));
});

test('a daemon inspects a machine without booting it, and makes its ports', async (t) => {
  const fake = await startFakeRedfish({ shape: 'dell9' });
  t.after(() => fake.stop());
  const daemon = await startInProcess(t, {
    ini: 'enabled_hardware_types = redfish\nenabled_inspect_interfaces = redfish\n',
  });
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: { redfish_address: fake.address, redfish_username: 'admin', redfish_password: 'secret' },
  });
  for (const target of ['manage', 'inspect']) {
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    await daemon.idle();
  }
  const { provision_state, last_error, properties } = daemon.node(uuid);
  assert.deepEqual([provision_state, last_error], ['manageable', null]);
  assert.equal(properties['cpu_arch'], 'x86_64');
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/ports`);
  assert.deepEqual(
    body.ports.map(({ address }) => address),
    ['52:54:00:cc:00:01', '52:54:00:cc:00:02'],
  );
  assert.deepEqual(fake.machine.resets, []);
  const { json } = await daemon.request('GET', `/v1/nodes/${uuid}/bios`);
  assert.match(JSON.stringify(json), /ProcVirtualization/);
});
