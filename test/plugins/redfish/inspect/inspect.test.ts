import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import type { JsonObject, Port } from '../../../../daemon/plugin-api/index.ts';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { redfishInspect } from '../../../../plugins/redfish/inspect/inspect.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';
import { hardwareIn } from '../../../../daemon/model/hardware/hardware.ts';

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
    frequency: '3000',
  });
  assert.deepEqual(inventory.disks[0], { name: 'Drive D1', size: 480_000_000_000 });
  assert.deepEqual(inventory.interfaces[0], {
    mac_address: '52:54:00:cc:00:01',
    name: 'NIC.1',
    speed_mbps: 10_000,
  });
  assert.equal(pluginData?.['unread'], undefined);
  assert.deepEqual((pluginData as { parsed_lldp: JsonObject }).parsed_lldp['1'], {
    switch_chassis_id: '02:00:00:00:00:0a',
    switch_port_id: '02:00:00:00:00:11',
    switch_system_name: 'switch-1',
  });
  const { memory_mb, cpu_arch, local_gb, capabilities } = lab.task.node.properties;
  assert.deepEqual([memory_mb, cpu_arch, local_gb, capabilities], [65_536, 'x86_64', 446, 'boot_mode:uefi']);
});

test('the serial numbers of drives are what drift and hardware classes compare, also below volumes', async (t) => {
  const lab = await redfishLab(t);
  const seen = async () => hardwareIn((await inspected(lab)).inventory, {}).hardware;
  const [first] = (await seen()).disks ?? [];
  assert.deepEqual(first, { id: 'SN-D1', bytes: 480_000_000_000, kind: 'ssd' });
  lab.machine.volumes.set('/redfish/v1/Systems/1/Storage/S1/Volumes/V1', { Id: 'V1', CapacityBytes: 100 });
  assert.deepEqual((await seen()).disks?.[0], first);
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

test("a fraction of memory and blanks in names do not reach the inventory, whose types are the agent's", async (t) => {
  const lab = await redfishLab(t);
  lab.bmc.overrides.set(lab.bmc.paths.system, {
    ...(await converse(lab.task, { operation: 'Reading' }, (bmc) => bmc.system())),
    MemorySummary: { TotalSystemMemoryGiB: 31.684 },
    Manufacturer: ' ',
    Model: 'X11  ',
  });
  const { inventory } = await inspected(lab);
  assert.deepEqual(inventory.memory, { physical_mb: 32_444 });
  assert.deepEqual(
    [inventory.system_vendor['manufacturer'], inventory.system_vendor['product_name']],
    ['', 'X11'],
  );
});

test('what the operator gave stands where the BMC reports neither memory, architecture, disks nor cards', async (t) => {
  const given = { memory_mb: 4096, cpu_arch: 'aarch64', local_gb: 20 };
  const ports = [{ address: '52:54:00:00:00:01' } as Port];
  const lab = await redfishLab(t, { node: { properties: given }, task: { ports } });
  await withoutParts(lab);
  const { inventory, pluginData } = await inspected(lab);
  assert.deepEqual(pluginData?.['unread'], ['network cards']);
  assert.partialDeepStrictEqual(lab.task.node.properties, given);
  assert.deepEqual(inventory.memory, { physical_mb: null });
  assert.partialDeepStrictEqual(inventory.cpu, { architecture: null, frequency: null });
  assert.deepEqual(inventory.interfaces, [{ mac_address: ports[0]?.address, name: ports[0]?.address }]);
});

test('a machine of which nobody has told memory or architecture, or a MAC address, is not inspected', async (t) => {
  const bare = await redfishLab(t);
  await withoutParts(bare);
  await rejectsFault(
    inspected(bare),
    'Invalid',
    /does not report the memory and the architecture; set properties\/memory_mb and properties\/cpu_arch, or inspect the node with the agent$/,
  );
  const withoutPort = await redfishLab(t, { node: { properties: { memory_mb: 1, cpu_arch: 'x86_64' } } });
  await withoutParts(withoutPort);
  await rejectsFault(inspected(withoutPort), 'Invalid', /shows no MAC address of the machine; create a port/);
});

/** Takes all from the BMC that it could do without. */
async function withoutParts({ bmc, task }: RedfishLab): Promise<void> {
  const { system, chassis } = bmc.paths;
  const shown = await converse(task, { operation: 'Reading' }, (each) => each.system());
  bmc.overrides.set(system, { ...shown, MemorySummary: null, ProcessorSummary: null });
  bmc.overrides.set(chassis, null);
  for (const part of ['Processors', 'Storage', 'SimpleStorage', 'EthernetInterfaces'])
    bmc.overrides.set(`${system}/${part}`, null);
}

test('what a BMC refuses to show is noted in the history of the node, briefly', async (t) => {
  const lab = await redfishLab(t, { task: { ports: [{ address: '52:54:00:00:00:01' } as Port] } });
  lab.bmc.faults.add({ path: '/EthernetInterfaces/', times: 99, does: { kind: 'answer', status: 403 } });
  lab.bmc.faults.add({ path: '/Drives/', times: 99, does: { kind: 'answer', status: 400 } });
  lab.bmc.faults.add({ path: '/NetworkAdapters', times: 99, does: { kind: 'answer', status: 400 } });
  const { inventory } = await inspected(lab);
  assert.deepEqual(inventory.disks, []);
  const note = lab.task.done.find((line) => line.startsWith('note: '));
  assert.match(note ?? '', /^note: The BMC does not show the drives \(.*D1\): HTTP status 400; .*\.$/);
});

test('the port of a network card that the BMC does not show stays', async (t) => {
  const address = '52:54:00:cc:00:02';
  const lab = await redfishLab(t, { task: { ports: [{ address } as Port] } });
  lab.bmc.faults.add({ path: '/EthernetInterfaces/NIC.2', times: 9, does: { kind: 'answer', status: 403 } });
  const { inventory } = await inspected(lab);
  assert.deepEqual(
    inventory.interfaces.map(({ name }) => name),
    ['NIC.1', address],
  );
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
