import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baremetalShell, runPython } from '../fakes/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient');
const withoutSdk = skipWithout('python3-openstacksdk');
const MAC = '52:54:00:12:34:56';
const INSTANCE = '6f2a4a1c-6b61-4f5e-9a55-0d2b7b1f4a10';

test('the baremetal client sets and unsets what a node record holds', { skip }, async () => {
  await using daemon = await DaemonProcess.start();
  await using baremetal = baremetalShell(daemon.url);
  const { done, json, refused } = baremetal;
  const show = () => json('node show n1');
  await done('node create --driver fake-hardware --name n1');

  await done(
    `node set n1 --property cpus=8 --property capabilities=boot_mode:uefi --extra rack=r1 --driver-info a=1
 --instance-info image_source=http://example.org/i --owner me --lessee you --description words --resource-class gold
 --conductor-group  --instance-uuid ${INSTANCE} --automated-clean --retired --retired-reason old
 --network-data {"links":[],"networks":[],"services":[]} --deploy-interface fake`.replaceAll('\n', ''),
  );
  assert.partialDeepStrictEqual(await show(), {
    properties: { cpus: 8, capabilities: 'boot_mode:uefi' },
    extra: { rack: 'r1' },
    driver_info: { a: 1 },
    instance_info: { image_source: 'http://example.org/i' },
    owner: 'me',
    lessee: 'you',
    description: 'words',
    resource_class: 'gold',
    instance_uuid: INSTANCE,
    automated_clean: true,
    retired: true,
    retired_reason: 'old',
    network_data: { links: [] },
  });

  await done(
    `node unset n1 --property cpus --extra rack --driver-info a --instance-info image_source --owner --lessee
 --description --resource-class --instance-uuid --automated-clean --retired --network-data
 --deploy-interface`.replaceAll('\n', ''),
  );
  assert.partialDeepStrictEqual(await show(), {
    properties: { capabilities: 'boot_mode:uefi' },
    extra: {},
    driver_info: {},
    instance_info: {},
    network_data: {},
    deploy_interface: 'fake',
    owner: null,
    lessee: null,
    description: null,
    resource_class: null,
    instance_uuid: null,
    automated_clean: null,
    retired: false,
    retired_reason: null,
  });

  await done('node maintenance set n1 --reason disk');
  assert.partialDeepStrictEqual(await show(), { maintenance: true, maintenance_reason: 'disk' });
  await done('node maintenance unset n1');
  assert.partialDeepStrictEqual(await show(), { maintenance: false, maintenance_reason: null });

  await done('node set n1 --name n2');
  assert.match(await refused('node show n1'), /Node n1 could not be found\. \(HTTP 404\)/);
  assert.match(await refused('node set n2 --driver nothing'), /driver nothing is not enabled.*400/);
  assert.match(
    await refused('--max-retries 0 node create --driver fake-hardware --name n2'),
    /name n2 already.*409/,
  );
  assert.match(await refused('node set n2 --power-interface ipmitool'), /interface.*ipmitool.*400/);
  await done('node set n2 --driver manual-management --reset-interfaces');
  assert.partialDeepStrictEqual(await json('node show n2 --fields driver management_interface'), {
    driver: 'manual-management',
    management_interface: 'noop',
  });
  await done('node delete n2');
  assert.deepEqual(await json('node list'), []);
});

test('the baremetal client creates, changes and deletes ports', { skip }, async () => {
  await using daemon = await DaemonProcess.start();
  await using baremetal = baremetalShell(daemon.url);
  const { done, json, refused } = baremetal;
  await done('node create --driver fake-hardware --name n1');
  const { uuid } = await daemon.node('n1');

  await done(`port create ${MAC.toUpperCase()} --node ${uuid} --pxe-enabled false`);
  assert.match(
    await refused(`--max-retries 0 port create ${MAC} --node ${uuid}`),
    /MAC address 52:54.* already exists.*409/,
  );
  assert.match(await refused(`port create nonsense --node ${uuid}`), /Expected a MAC address.*nonsense.*400/);
  const listed = (await json('port list')) as { readonly UUID: string }[];
  assert.partialDeepStrictEqual(listed, [{ Address: MAC }]);
  const port = listed[0]?.UUID ?? '';
  await done(
    `port set ${port} --extra slot=1 --physical-network net1 --pxe-enabled --local-link-connection switch_id=0a:1b:2c:3d:4e:5f --local-link-connection port_id=Eth1 --local-link-connection switch_info=s`,
  );
  assert.partialDeepStrictEqual(await json(`port show ${port}`), {
    node_uuid: uuid,
    pxe_enabled: true,
    physical_network: 'net1',
    extra: { slot: 1 },
    local_link_connection: { port_id: 'Eth1' },
  });
  await done(`port unset ${port} --extra slot --physical-network`);
  assert.partialDeepStrictEqual(await json(`port show ${port}`), { extra: {}, physical_network: null });
  assert.partialDeepStrictEqual(await json(`port list --node n1 --long`), [{ 'Node UUID': uuid }]);
  assert.partialDeepStrictEqual(await json(`port list --address ${MAC}`), [{ UUID: port }]);
  await done(`port delete ${port}`);
  assert.deepEqual(await json('port list'), []);
});

test('the baremetal client lists nodes by their fields, in pages and at length', { skip }, async () => {
  await using daemon = await DaemonProcess.start();
  await using baremetal = baremetalShell(daemon.url);
  const { done, json } = baremetal;
  for (const name of ['a', 'b', 'c']) await done(`node create --driver fake-hardware --name ${name}`);
  await done('node create --driver manual-management --name d --resource-class gold');
  const names = async (line: string) =>
    ((await json(line)) as { readonly Name: string }[]).map((node) => node.Name);
  assert.deepEqual(await names('node list'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(await names('node list --sort name:desc'), ['d', 'c', 'b', 'a']);
  assert.deepEqual(await names('node list --limit 3'), ['a', 'b', 'c']);
  assert.deepEqual(await names('node list --driver manual-management --fields uuid name'), ['d']);
  assert.deepEqual(await names('node list --resource-class gold'), ['d']);
  assert.deepEqual(await names('node list --provision-state manageable'), []);
  const { uuid } = await daemon.node('b');
  assert.deepEqual(await names(`node list --marker ${uuid}`), ['c', 'd']);
  const long = (await json('node list --long')) as object[];
  assert.deepEqual([long.length, Object.keys(long[0] ?? {}).length > 50], [4, true]);
});

test('the baremetal client sees drivers, conductor, validation and history', { skip }, async () => {
  await using daemon = await DaemonProcess.start({ IRONIC_DEFAULT__HOST: 'edge-1' });
  await using baremetal = baremetalShell(daemon.url);
  const { done, json, refused } = baremetal;
  const drivers = ['fake-hardware', 'ipmi', 'manual-management'];
  assert.deepEqual(
    await json('driver list'),
    drivers.map((name) => ({ 'Supported driver(s)': name, 'Active host(s)': 'edge-1' })),
  );
  assert.partialDeepStrictEqual(await json('driver show ipmi'), {
    default_power_interface: 'ipmitool',
    enabled_inspect_interfaces: 'agent',
    type: 'dynamic',
  });
  const properties = (await json('driver property list ipmi')) as { readonly Property: string }[];
  assert.ok(properties.some(({ Property }) => Property === 'ipmi_address'));
  assert.match(await refused('driver show nothing'), /nothing.*404/);
  assert.deepEqual(await json('conductor list'), [
    { Hostname: 'edge-1', 'Conductor Group': '', Alive: true },
  ]);
  assert.partialDeepStrictEqual(await json('conductor show edge-1'), { alive: true });

  await done('node create --driver ipmi --name bare');
  const verdicts = (await json('node validate bare')) as readonly {
    readonly Interface: string;
    readonly Result: boolean;
    readonly Reason: string;
  }[];
  const power = verdicts.find((verdict) => verdict.Interface === 'power');
  assert.equal(power?.Result, false);
  assert.match(power.Reason, /ipmi_address/);
  await refused('node manage bare --wait 20');
  const history = (await json('node history list bare')) as { readonly UUID: string }[];
  assert.partialDeepStrictEqual(history, [{ Severity: 'ERROR' }]);
  const event = await json(`node history get bare ${history[0]?.UUID ?? ''}`);
  assert.partialDeepStrictEqual(event, { conductor: 'edge-1', event_type: 'verify', severity: 'ERROR' });
});

test(
  'openstacksdk enrols a node, waits for its states and finds it again',
  { skip: withoutSdk },
  async () => {
    await using daemon = await DaemonProcess.start();
    const { exit, stdout, stderr } = await runPython('openstacksdk-session.py', ['1.80'], daemon.url);
    assert.equal(exit, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      names: ['sdk-node'],
      details: ['fake-hardware'],
      ports: ['52:54:00:5d:4b:01'],
      states: ['enroll', 'manageable', 'available'],
      power: 'power on',
      extra: { rack: 'r1', row: 7 },
      valid: true,
      missing: null,
      left: [],
    });
  },
);
