// Hardware classes: made from a good machine, compared after each inspection, and required by `provide` where they say so.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseYaml } from '../../../../daemon/lib/files/read-yaml.ts';
import { classCommand } from '../../../../daemon/cli/records/class-command.ts';
import { classLike } from '../../../../daemon/model/hardware/compare-class.ts';
import { hardwareIn } from '../../../../daemon/model/hardware/hardware.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { get } from '../../../fakes/clients/page.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import type { InProcessDaemon } from '../../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { changed, inspectable, report, shown } from './reporting-node.ts';

const hardware = () => {
  const { inventory, ...pluginData } = report() as unknown as { inventory: JsonObject };
  return hardwareIn(inventory, pluginData).hardware;
};

const poorer = () =>
  changed(({ inventory }) => {
    inventory.disks.pop();
    inventory.memory.physical_mb = 458_752;
    inventory.interfaces.push({ mac_address: '04:3f:72:c9:0a:99', speed_mbps: 100_000 } as never);
  });
const DIFFERENCES = [
  'memory: 448 GiB, class web has 512 GiB; 2 DIMMs are listed',
  'disks of 1.6 TB, nvme: 1, class web has 2',
  'network card 04:3f:72:c9:0a:99 (100000 Mbit/s) is not in class web',
];

const add = (daemon: InProcessDaemon, body: object) =>
  daemon.request('POST', '/v1/hardware_classes', { version: 1, body });

test('a machine that differs from its class is told piece by piece, and is still provided unless the class is required', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  daemon.services.db.nodes.update(uuid, { resource_class: 'web' });
  const made = await add(daemon, classLike('web', hardware()));
  assert.equal(made.status, 201, made.text);
  await inspect(report());
  const good = await shown(daemon, uuid);
  assert.deepEqual([good.class, good.class_differences, good.class_unchecked], ['web', [], []]);
  await inspect(poorer());
  assert.deepEqual((await shown(daemon, uuid)).class_differences, DIFFERENCES);
  const told = JSON.stringify(
    daemon.services.db.history.list(['event'], [], { limit: 50, sortKey: 'id', descending: true }),
  );
  assert.match(told, /Hardware differs from class web: memory: 448 GiB/);
  assert.match(
    (await daemon.request('GET', `/v1/nodes/${uuid}/timeline`)).text,
    /Hardware differs from class web/,
  );
  assert.match(
    (await get(daemon, `/ui/nodes/${uuid}/hardware`)).text,
    /memory: 448 GiB, class web has 512 GiB/,
  );
  const event = daemon.services.db.events
    .before(Number.MAX_SAFE_INTEGER, 50, { node: uuid })
    .find(({ event_type: type }) => type === 'baremetal.node.hardware.success');
  assert.match(event?.body ?? '', /"class":"web","class_differences":\["memory: 448 GiB/);
  const provide = () =>
    daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'provide' } });
  const patch = (path: string, value: unknown) =>
    daemon.request('PATCH', '/v1/hardware_classes/web', { body: [{ op: 'replace', path, value }] });
  assert.equal((await patch('/required', true)).status, 200);
  const refused = await provide();
  assert.equal(refused.status, 400);
  assert.match(
    refused.fault,
    /hardware class web is required and the machine differs: memory: 448 GiB.*Repair the machine and inspect it again/,
  );
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  assert.equal((await patch('/required', false)).status, 200);
  const allowed = await provide();
  assert.equal(allowed.status, 202, allowed.text);
});

test('a required class refuses a machine that was never inspected, and says so', async (t) => {
  const { daemon, uuid } = await inspectable(t);
  daemon.services.db.nodes.update(uuid, { resource_class: 'web', provision_state: 'manageable' });
  await add(daemon, { name: 'web', required: true, cpus: 2 });
  const path = `/v1/nodes/${uuid}/states/provision`;
  const { status, fault } = await daemon.request('PUT', path, { body: { target: 'provide' } });
  assert.deepEqual([status, /the machine was not inspected/.test(fault)], [400, true]);
});

test('tolerances, unknown speeds and kinds, and parts that no report lists make no difference', async (t) => {
  const { daemon, uuid, inspect } = await inspectable(t);
  daemon.services.db.nodes.update(uuid, { resource_class: 'web' });
  const disks = [
    { count: 1, size_gb: 486, kind: 'ssd' },
    { count: 2, size_gb: 1580 },
  ];
  const cards = [{ count: 2, speed_mbps: 1000 }, { count: 2 }];
  await add(daemon, {
    name: 'web',
    memory_mib: 520_000,
    disks,
    network_cards: cards,
    cores: 64,
    firmware: ['1.12.1', '1.13'],
  });
  await inspect(
    changed((made) => {
      Reflect.deleteProperty(made, 'dmi');
      for (const card of made.inventory.interfaces) Object.assign(card, { speed_mbps: null });
    }),
  );
  const { class_differences: differences, class_unchecked: unchecked } = await shown(daemon, uuid);
  assert.deepEqual([differences, unchecked], [[], ['cores']]);
  const patch = [{ op: 'add', path: '/disk_tolerance_percent', value: 0 }];
  await daemon.request('PATCH', '/v1/hardware_classes/web', { body: patch });
  const strict = (await shown(daemon, uuid)).class_differences;
  assert.equal(strict.length, 5, strict.join());
  assert.match(strict[0] ?? '', /^disks of 486 GB, ssd: 0, class web has 1$/);
});

test('wrong classes are refused with the field and what was expected, and nothing is stored', async (t) => {
  const { daemon } = await inspectable(t);
  await add(daemon, { name: 'web' });
  const wrong: readonly (readonly [fields: object, said: RegExp])[] = [
    [{ name: 'web' }, /already exists/],
    [{ name: 'a b' }, /invalid name/],
    [{ name: undefined }, /name/],
    [{ cpus: 0 }, /cpus/],
    [{ cpus: 'two' }, /cpus/],
    [{ memory_mib: 1.5 }, /memory_mib/],
    [{ memory_tolerance_percent: 51 }, /memory_tolerance_percent/],
    [{ disks: [{ count: 1 }] }, /size_gb/],
    [{ disks: [{ count: 0, size_gb: 480 }] }, /count/],
    [{ disks: [{ count: 1, size_gb: 480, kind: 'tape' }] }, /kind/],
    [{ disks: [{ count: 1, size_gb: 480, colour: 'red' }] }, /colour/],
    [{ disks: Array.from({ length: 33 }, () => ({ count: 1, size_gb: 480 })) }, /disks/],
    [{ network_cards: [{ count: 1, speed_mbps: -1 }] }, /speed_mbps/],
    [{ accelerators: [{ count: 1, device: 'A100' }] }, /device/],
    [{ firmware: [''] }, /firmware/],
    [{ disks: null }, /disks/],
    [{ required: 'yes please' }, /required/],
    [{ gpus: 1 }, /gpus/],
  ];
  for (const [fields, said] of wrong) {
    const { status, text } = await add(daemon, { name: 'other', ...fields });
    assert.ok(status === 400 || status === 409, `${JSON.stringify(fields)}: ${status}`);
    assert.match(text, said);
  }
  assert.equal(daemon.services.db.hardwareClasses.where({ sql: 'TRUE', values: [] }).length, 1);
  const missing = await daemon.request('GET', '/v1/hardware_classes/wed');
  assert.deepEqual([missing.status, /did you mean web\?/.test(missing.fault)], [404, true]);
});

test('class make prints what class add stores; check says what differs, and exits with code 1 for it', async (t) => {
  const { url, services } = await startListening(t, {});
  const run = (...words: string[]) =>
    runCommand((context) => classCommand(words, context), { OS_ENDPOINT: url });
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'good' });
  const put = (seen: object) =>
    services.db.hardware.put({
      node_uuid: uuid,
      source: 'agent',
      inspected_at: '2026-11-28T10:00:00+00:00',
      compared_with: null,
      hardware: { ...hardware(), ...seen },
      compared: [],
      changes: [],
    });
  put({});
  await assert.rejects(run('check', 'good'), /node good has no hardware class/);
  assert.equal((await run('make', 'good')).code, 2);
  const { out } = await run('make', 'good', '--name', 'web');
  assert.deepEqual(parseYaml(out), {
    name: 'web',
    cpus: 2,
    cores: 64,
    threads: 128,
    memory_mib: 524_288,
    disks: [
      { count: 1, size_gb: 480, kind: 'ssd' },
      { count: 2, size_gb: 1600, kind: 'nvme' },
    ],
    network_cards: [
      { count: 2, speed_mbps: 1000 },
      { count: 2, speed_mbps: 25_000 },
    ],
    accelerators: [{ count: 1, device: '10de:2236' }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'class-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (text: string) => {
    const path = join(folder, 'web.yaml');
    writeFileSync(path, text);
    return path;
  };
  for (const [text, said] of [
    ['a: [', /is neither JSON nor YAML/],
    ['- web', /describes no hardware class: expected a mapping/],
    ['name: web\ncpu: 2\n', /refused with 400.*cpu/],
  ] as const)
    await assert.rejects(run('add', file(text)), said);
  await assert.rejects(run('add', join(folder, 'none')), /none cannot be read/);
  const added = await run('add', file(out));
  assert.deepEqual([added.code, added.out], [0, 'web\n']);
  services.db.nodes.update(uuid, { resource_class: 'web' });
  const same = await run('check', 'good');
  assert.deepEqual([same.code, same.out], [0, 'nothing differs from class web\n']);
  put({ cpus: 1, cores: null });
  const differs = await run('check', 'good');
  assert.deepEqual(
    [differs.code, differs.out],
    [1, 'processors: 1, class web has 2\nnot checked, as no report lists it: cores\n'],
  );
  assert.match((await run('list')).out, /web/);
  assert.equal((await run('delete', 'web')).code, 0);
});
