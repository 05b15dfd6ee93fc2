import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Baremetal, baremetalShell } from '../fakes/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient');
const MISSING = '00000000-0000-4000-8000-000000000000';

interface Lifecycle {
  /** As the client calls the resource: `port group`. */
  readonly resource: string;
  readonly create: string;
  readonly created: object;
  readonly set: string;
  readonly unset?: string;
  readonly after: object;
  /** The only row of the list. */
  readonly row: object;
}

/** Creates, shows, changes, lists and deletes a record of the resource. */
async function live({ done, json, refused }: Baremetal, cycle: Lifecycle): Promise<void> {
  const { resource } = cycle;
  const made = (await json(`${resource} create ${cycle.create}`)) as { readonly uuid: string };
  const show = () => json(`${resource} show ${made.uuid}`);
  assert.partialDeepStrictEqual(made, cycle.created, resource);
  assert.deepEqual(await show(), made, resource);
  await done(`${resource} set ${made.uuid} ${cycle.set}`);
  if (cycle.unset !== undefined) await done(`${resource} unset ${made.uuid} ${cycle.unset}`);
  assert.partialDeepStrictEqual(await show(), cycle.after, resource);
  assert.partialDeepStrictEqual(await json(`${resource} list`), [{ UUID: made.uuid, ...cycle.row }]);
  await done(`${resource} delete ${made.uuid}`);
  assert.deepEqual(await json(`${resource} list`), [], resource);
  assert.match(await refused(`${resource} show ${MISSING}`), /404/, resource);
}

const steps = (priority: number) =>
  `[{"interface":"bios","step":"apply_configuration","args":{},"priority":${priority}}]`;

test('the baremetal client works with each resource beside nodes and ports', { skip }, async () => {
  await using daemon = await DaemonProcess.start();
  await using baremetal = baremetalShell(daemon.url);
  const { done } = baremetal;
  await done('node create --driver fake-hardware --name n1 --resource-class gold');
  const { uuid: node } = await daemon.node('n1');

  await live(baremetal, {
    resource: 'chassis',
    create: '--description rack --extra row=1',
    created: { description: 'rack', extra: { row: 1 } },
    set: '--description rack7 --extra row=2',
    unset: '--extra row',
    after: { description: 'rack7', extra: {} },
    row: { Description: 'rack7' },
  });
  await live(baremetal, {
    resource: 'port group',
    create: `--node ${node} --name bond0 --address 52:54:00:AA:00:01 --mode 802.3ad`,
    created: {
      name: 'bond0',
      address: '52:54:00:aa:00:01',
      mode: '802.3ad',
      standalone_ports_supported: true,
    },
    set: '--name bond1 --property miimon=100 --unsupport-standalone-ports',
    unset: '--address',
    after: { name: 'bond1', address: null, properties: { miimon: 100 }, standalone_ports_supported: false },
    row: { Name: 'bond1' },
  });
  await done('node power off n1');
  await daemon.nodeWhen(node, ({ power_state }) => power_state === 'power off');
  await live(baremetal, {
    resource: 'volume connector',
    create: `--node ${node} --type iqn --connector-id iqn.2017-05.org.example:one`,
    created: { node_uuid: node, type: 'iqn', connector_id: 'iqn.2017-05.org.example:one' },
    set: '--connector-id iqn.2017-05.org.example:two --extra a=1',
    unset: '--extra a',
    after: { connector_id: 'iqn.2017-05.org.example:two', extra: {} },
    row: { 'Node UUID': node, Type: 'iqn' },
  });
  await live(baremetal, {
    resource: 'volume target',
    create: `--node ${node} --type iscsi --boot-index 0 --volume-id v1 --property auth_password=secret`,
    created: {
      node_uuid: node,
      volume_type: 'iscsi',
      boot_index: 0,
      properties: { auth_password: '******' },
    },
    set: '--boot-index 1 --volume-id v2',
    unset: '--property auth_password',
    after: { boot_index: 1, volume_id: 'v2', properties: {} },
    row: { 'Node UUID': node, 'Boot Index': 1 },
  });
  await live(baremetal, {
    resource: 'deploy template',
    create: `CUSTOM_BIOS --steps ${steps(10)}`,
    created: { name: 'CUSTOM_BIOS' },
    set: `--name CUSTOM_OTHER --extra a=1 --steps ${steps(20)}`,
    unset: '--extra a',
    after: { name: 'CUSTOM_OTHER', extra: {} },
    row: { Name: 'CUSTOM_OTHER' },
  });
});

test(
  'the baremetal client gives a node traits and a chassis, and finds nodes by allocation',
  { skip },
  async () => {
    await using daemon = await DaemonProcess.start();
    await using baremetal = baremetalShell(daemon.url);
    const { done, json, refused } = baremetal;
    const { uuid: chassis } = (await json('chassis create')) as { readonly uuid: string };
    await done(
      `node create --driver fake-hardware --name n1 --resource-class gold --chassis-uuid ${chassis}`,
    );
    assert.partialDeepStrictEqual(await json('node show n1'), { chassis_uuid: chassis });
    assert.match(await refused(`chassis delete ${chassis}`), /contains nodes.*400/);
    await done('node unset n1 --chassis-uuid');
    await done(`chassis delete ${chassis}`);

    await done('node add trait n1 CUSTOM_GPU HW_CPU_X86_VMX');
    await done('node remove trait n1 HW_CPU_X86_VMX');
    assert.deepEqual(await json('node trait list n1'), [{ Traits: 'CUSTOM_GPU' }]);
    await done('node manage n1 --wait 20');
    await done('node provide n1 --wait 20');
    const { uuid: node } = await daemon.node('n1');
    await done('node power off n1');
    await daemon.nodeWhen(node, ({ power_state }) => power_state === 'power off');
    const wanted = 'allocation create --resource-class gold --trait CUSTOM_GPU --wait 20';
    assert.partialDeepStrictEqual(await json(`${wanted} --name a1`), { state: 'active', node_uuid: node });
    assert.partialDeepStrictEqual(await json('node show n1'), {
      instance_uuid: (await allocation('a1')).uuid,
    });
    assert.match(await refused(`${wanted} --name a2`), /is without an instance/);
    assert.equal((await allocation('a2')).state, 'error');
    await done('allocation set a1 --name a3 --extra k=v');
    await done('allocation unset a3 --extra k');
    assert.partialDeepStrictEqual(await json('allocation show a3'), { name: 'a3', extra: {} });
    assert.partialDeepStrictEqual(await json('allocation list --state active'), [
      { Name: 'a3', 'Node UUID': node },
    ]);
    await done('allocation delete a2 a3');
    assert.partialDeepStrictEqual(await json('node show n1'), { instance_uuid: null, allocation_uuid: null });

    async function allocation(name: string) {
      return (await json(`allocation show ${name}`)) as { readonly uuid: string; readonly state: string };
    }
  },
);

test('the baremetal client reaches the parts of a machine that can do everything', { skip }, async () => {
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: join(import.meta.dirname, '../fakes/plugins'),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'able-hardware,fake-hardware',
  });
  await using baremetal = baremetalShell(daemon.url);
  const { done, json, refused } = baremetal;
  await done('node create --driver able-hardware --name n1');
  const { uuid: node } = await daemon.node('n1');
  const raid = { logical_disks: [{ size_gb: 10, raid_level: '1' }] };

  await done('node vif attach n1 vif-1');
  assert.deepEqual(await json('node vif list n1'), [{ ID: 'vif-1' }]);
  await done('node vif detach n1 vif-1');
  assert.deepEqual(await json('node vif list n1'), []);

  await done('node console enable n1');
  await daemon.nodeWhen(node, ({ console_enabled }) => console_enabled);
  assert.partialDeepStrictEqual(await json('node console show n1'), { console_enabled: true });
  await done('node console disable n1');
  await daemon.nodeWhen(node, ({ console_enabled }) => !console_enabled);

  await done(`node set n1 --target-raid-config ${JSON.stringify(raid)}`);
  assert.partialDeepStrictEqual(await json('node show n1'), { target_raid_config: raid });
  await done('node boot mode set n1 uefi');
  await daemon.nodeWhen(node, ({ boot_mode }) => boot_mode === 'uefi');
  await done('node secure boot on n1');
  await daemon.nodeWhen(node, ({ secure_boot }) => secure_boot === true);
  await done('node boot device set n1 pxe --persistent');
  assert.deepEqual(await json('node boot device show n1 --supported'), { supported_boot_devices: 'pxe' });
  await done('node inject nmi n1');
  assert.deepEqual(await json('node bios setting list n1'), []);

  const methods = (await json('node passthru list n1')) as { readonly Name: string }[];
  assert.ok(methods.some(({ Name }) => Name === 'echo'));
  assert.match(await done('node passthru call n1 echo --http-method POST --arg a=1'), /'given': {'a': 1}/);
  assert.match(
    await refused('--max-retries 0 node passthru call n1 refuse --http-method POST'),
    /not now.*409/,
  );
  const [method] = (await json('driver passthru list able-hardware')) as { readonly Name: string }[];
  assert.equal(method?.Name, 'sum');
});
