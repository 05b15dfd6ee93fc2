// Drift: what changed in a machine between two inspections, in-band and through a BMC.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { get } from '../../../fakes/clients/page.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { changed, inspectNode, inspectable, report, shown } from './reporting-node.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const events = ({ services: { db } }: InProcessDaemon, uuid: string) =>
  db.events
    .before(Number.MAX_SAFE_INTEGER, 100, { node: uuid })
    .filter(({ event_type: type }) => type === 'baremetal.node.hardware.success')
    .map(
      ({ body }) =>
        JSON.parse(body) as { payload: { 'ironic_object.data': Readonly<Record<string, unknown>> } },
    )
    .map(({ payload }) => payload['ironic_object.data']);

const worse = () =>
  changed(({ inventory, pci_devices: devices, dmi }) => {
    const [first, second] = inventory.disks;
    inventory.disks = [first!, { ...second!, serial: 'S4EVNX0R', size: 1_900_000_000_000 }];
    inventory.memory.physical_mb = 491_520;
    inventory.interfaces.pop();
    inventory.system_vendor.firmware.version = '1.13.2';
    devices.splice(
      devices.findIndex((device) => device.class === '030200'),
      1,
    );
    dmi.memory.devices.pop();
  });
const SENTENCES = [
  'firmware: 1.13.2, before 1.12.1',
  'memory: 480 GiB, before 512 GiB',
  'DIMM A2 (32 GiB) is gone',
  'disk PHAB131200GL1P6CGN (1.6 TB) is gone',
  'disk PHAB131200HM1P6CGN (1.6 TB) is gone',
  'disk S4EVNX0R (1.9 TB) is new',
  'network card 04:3f:72:c9:0a:71 is gone',
  'accelerators (10de:2236): 0, before 1',
];

test('what changed between two inspections is told by the API, the history, the timeline, an event and the page', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/hardware`)).status, 404);
  await inspect(report());
  const first = await shown(daemon, uuid);
  assert.deepEqual(
    [first.source, first.compared_with, first.compared, first.changes],
    ['agent', null, [], []],
  );
  await inspect(report());
  assert.deepEqual((await shown(daemon, uuid)).changes, []);
  assert.deepEqual(events(daemon, uuid), []);
  await inspect(worse());
  const drift = await shown(daemon, uuid);
  assert.deepEqual([drift.changes, drift.not_compared], [SENTENCES, []]);
  const told = daemon.services.db.history
    .list(['event', 'event_type'], [], { limit: 50, sortKey: 'id', descending: true })
    .filter(({ event_type: type }) => type === 'hardware');
  assert.equal(told.length, 1);
  assert.match(
    told[0]?.event ?? '',
    /^Hardware changed since the inspection of .*disk S4EVNX0R \(1\.9 TB\) is new/,
  );
  const timeline = await daemon.request('GET', `/v1/nodes/${uuid}/timeline`);
  assert.match(timeline.text, /Hardware changed since/);
  const [event, ...others] = events(daemon, uuid);
  assert.deepEqual([event?.['changes'], event?.['name'], others], [SENTENCES, 'rack1-01', []]);
  assert.match((await get(daemon, `/ui/nodes/${uuid}/hardware`)).text, /disk S4EVNX0R \(1\.9 TB\) is new/);
  assert.match((await get(daemon, `/ui/events?node=${uuid}`)).text, /hardware\.success.*S4EVNX0R/);
});

test('a report of a real agent has no drift to itself; without dmidecode, DIMMs and cores are not compared, and keep', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  await daemon.createPort(uuid, '52:54:00:aa:bb:01');
  const real = report('agent-12-bios');
  await inspect(real);
  await inspect(real);
  const same = await shown(daemon, uuid);
  assert.deepEqual([same.changes, same.not_compared], [[], []]);
  const { dmi: _, ...less } = real;
  await inspect(less);
  const lacking = await shown(daemon, uuid);
  assert.deepEqual([lacking.changes, lacking.not_compared], [[], ['cores', 'DIMMs']]);
  await inspect(real);
  assert.deepEqual((await shown(daemon, uuid)).not_compared, []);
});

const bare = (count: number) =>
  changed(({ inventory }) => {
    inventory.disks = Array.from({ length: count }, (_, at) => ({
      name: `/dev/vd${at}`,
      serial: null,
      size: 480e9,
      rotational: true,
    }));
  });

test('disks without serial numbers are counted; an agent that finds no disk at all says that all are gone', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  await inspect(bare(3));
  await inspect(bare(1));
  assert.deepEqual((await shown(daemon, uuid)).changes, [
    'disks without a serial number (480 GB, hdd): 1, before 3',
  ]);
  await inspect(bare(0));
  assert.deepEqual((await shown(daemon, uuid)).changes, [
    'disks without a serial number (480 GB, hdd): 0, before 1',
  ]);
});

const drive = (serial_number: string) => ({
  serial_number,
  size: 960e9,
  media_type: 'SSD',
  protocol: 'SATA',
});

const cards = (...macs: string[]) => macs.map((mac) => ({ mac_address: mac, name: mac }));

const BMC = `import { defineInspect } from '#plugin-api';
export const bmc = defineInspect({ properties: {}, validate() {}, inspectHardware: async (task) => task.node.extra.report });`;

test('reports of a BMC are compared with those of the BMC only, and what it does not list or could not read is not gone', async (t) => {
  const folder = pluginFolder(t, {
    'seen/plugin.json': pluginManifest('seen', {
      entryPoints: { 'ironic.hardware.interfaces.inspect': { bmc: './inspect.js:bmc' } },
      hardwareTypes: { seen: { extends: 'fake-hardware', supported: { inspect: ['bmc', 'agent'] } } },
    }),
    'seen/inspect.js': BMC,
  });
  const daemon = await startInProcess(t, {
    ini: `enabled_hardware_types = seen\n[plugins]\npath = ${folder}\n`,
  });
  const { uuid } = await daemon.createNode({ driver: 'seen', inspect_interface: 'bmc' });
  await daemon.createPort(uuid, 'b0:7b:25:e1:44:10');
  const ask = async (drives: readonly object[], macs: readonly string[], pluginData = {}) => {
    const inventory = {
      interfaces: cards(...macs),
      memory: { physical_mb: 524_288 },
      cpu: { count: 128, architecture: 'x86_64' },
      disks: drives.map(({ size }: { size?: number }) => ({ name: 'Drive', size: size ?? 0 })),
      storage_controllers: [{ id: 'S1', drives }],
      system_vendor: { serial_number: '7XK2PQ3' },
    };
    daemon.services.db.nodes.update(uuid, {
      provision_state: 'manageable',
      extra: { report: { inventory, pluginData } as unknown as JsonObject },
    });
    const path = `/v1/nodes/${uuid}/states/provision`;
    assert.equal((await daemon.request('PUT', path, { body: { target: 'inspect' } })).status, 202);
    await daemon.idle();
    return shown(daemon, uuid);
  };
  const [one, two] = ['b0:7b:25:e1:44:10', 'b0:7b:25:e1:44:11'];
  await inspectNode(daemon, uuid, report());
  const first = await ask([drive('A1'), drive('A2')], [one, two]);
  assert.deepEqual([first.source, first.compared_with, first.changes], ['bmc', null, []]);
  const off = await ask([], [one, two]);
  assert.deepEqual([off.changes, off.not_compared.includes('disks')], [[], true]);
  const partial = await ask([drive('A1')], [one], { unread: ['the disks of storage S2: HTTP 500'] });
  assert.deepEqual([partial.changes, partial.not_compared.includes('network cards')], [[], true]);
  const gone = await ask([drive('A1'), drive('B1')], [one]);
  assert.deepEqual(gone.changes, [
    'disk A2 (960 GB) is gone',
    'disk B1 (960 GB) is new',
    `network card ${two} is gone`,
  ]);
  await inspectNode(daemon, uuid, report());
  const inBand = await shown(daemon, uuid);
  assert.deepEqual([inBand.source, inBand.changes], ['agent', []]);
});

test('hostile and huge reports store and show bounded, visible text, and nothing is taken for gone', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  await inspect(report());
  const evil = `<b>\u001B[31m${'x'.repeat(5000)}`;
  await inspect(
    changed(({ inventory }) => {
      inventory.system_vendor.serial_number = evil;
      inventory.cpu = { architecture: 'x86_64', count: 'many', model_name: {} } as never;
      inventory.disks = Array.from({ length: 5000 }, (_, at) => ({ serial: `${at}`, size: 1e12 }));
      inventory.memory = { physical_mb: -5 };
    }),
  );
  const { changes, not_compared: without } = await shown(daemon, uuid);
  assert.equal(changes.length, 1);
  assert.match(changes[0] ?? '', /^serial number: <b>\\u001b\[31mx{20,100}, before 7XK2PQ3$/);
  for (const part of ['disks', 'memory', 'threads']) assert.ok(without.includes(part), part);
  const page = (await get(daemon, `/ui/nodes/${uuid}/hardware`)).text;
  assert.match(page, /serial number: &lt;b&gt;\\u001b/);
  await inspect(
    changed(({ inventory }) => {
      inventory.disks = Array.from({ length: 300 }, (_, at) => ({ serial: `new${at}`, size: 1e12 }));
    }),
  );
  const many = (await shown(daemon, uuid)).changes;
  assert.ok(many.length <= 41 && /^and \d+ more$/.test(many.at(-1) ?? ''), many.join());
});

test('node drift prints the changes, and what the comparison was made of', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'rack1-01' });
  const drift = () =>
    runCommand((context) => nodeCommand(['drift', 'rack1-01'], context), { OS_ENDPOINT: url });
  await assert.rejects(drift(), /404: Inventory for node .* was not found/);
  const hardware = Object.fromEntries(['disks', 'memory_mib'].map((part) => [part, null])) as never;
  const row = { node_uuid: uuid, source: 'agent', inspected_at: '2026-11-28T10:00:00+00:00', hardware };
  services.db.hardware.put({ ...row, compared_with: null, compared: [], changes: [] });
  assert.match((await drift()).out, /the first inspection by agent: there is nothing to compare it with\n$/);
  const compared_with = '2026-11-27T10:00:00+00:00';
  const changes = ['disk a\u202Eb (480 GB) is gone'];
  services.db.hardware.put({ ...row, compared_with, compared: ['disks', 'memory_mib'], changes });
  const { out } = await drift();
  assert.match(
    out,
    /by agent, compared with 2026-11-27.*: disks, memory\nnot in both reports: serial number,/,
  );
  assert.match(out, /\ndisk a\\u202eb \(480 GB\) is gone\n$/);
});
