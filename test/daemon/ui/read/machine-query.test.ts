import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../fakes/clients/page.ts';
import { machineQuery, machinesAddress } from '../../../../daemon/ui/read/machine-query.ts';
import { readMachineRows } from '../../../../daemon/ui/read/machine-rows.ts';
import { hardwareIn } from '../../../../daemon/model/hardware/hardware.ts';

const at = (unit: number) => ({ extra: { rack: 'R1', unit, height: 2 } });
const AT = '2026-11-22T10:00:00+00:00';

async function withMachines(t: Parameters<typeof startInProcess>[0]) {
  const daemon = await startInProcess(t);
  const web = await daemon.createNode({ name: 'web-2', resource_class: 'web', ...at(4) });
  const web10 = await daemon.createNode({ name: 'web-10', resource_class: 'web', ...at(6) });
  const db = await daemon.createNode({ name: 'db-1', resource_class: 'db' });
  const { nodes, hardware } = daemon.services.db;
  nodes.update(web.uuid, {
    provision_state: 'active',
    power_state: 'power on',
    instance_info: { image_source: 'http://images.example/debian-13.raw' },
  });
  nodes.update(web10.uuid, { provision_state: 'clean failed', last_error: 'The disk <b>sda</b> is broken.' });
  const disks = Array.from({ length: 2 }, () => ({ id: null, bytes: 1.92e12, kind: 'nvme' as const }));
  hardware.put({
    node_uuid: web.uuid,
    source: 'agent',
    inspected_at: AT,
    compared_with: null,
    compared: [],
    changes: [],
    hardware: {
      ...hardwareIn({}, {}).hardware,
      cores: 32,
      memory_mib: 262_144,
      disks,
      accelerators: ['10de:1'],
    },
  });
  const node = { uuid: web.uuid, name: 'web-2', driver: 'fake-hardware', instance_uuid: null };
  const sensor = { health: 'OK', fields: {} } as const;
  daemon.services.sensors.record({
    node,
    at: 0,
    sensors: [
      { type: 'Power', id: 'PSU 1', reading: 100, unit: 'watts', ...sensor },
      { type: 'Power', id: 'PowerControl.0', reading: 212.4, unit: 'watts', ...sensor },
      { type: 'Temperature', id: 'CPU', reading: 60, unit: 'celsius', ...sensor },
      { type: 'Temperature', id: 'Inlet Temp', reading: 24, unit: 'celsius', ...sensor },
    ],
  });
  const shown = async (query: string) => (await get(daemon, `/ui/${query}`)).text;
  const names = async (query: string) =>
    [...(await shown(query)).matchAll(/aria-label="Choose ([^"]+)"/g)].map(([, name]) => name);
  return { daemon, web, web10, db, shown, names };
}

describe('the list of machines', () => {
  it('shows hardware, image, power and inlet of a machine, and why another needs attention', async (t) => {
    const { shown } = await withMachines(t);
    const text = (await shown('')).replaceAll(/\s+/g, ' ');
    assert.match(text, /32 c · 256 G · 2×1\.9 T · 1 GPU/);
    assert.match(text, /title="http:\/\/images\.example\/debian-13\.raw"\s*>\s*debian-13\.raw/);
    assert.match(text, /on <small>212 W<\/small>/);
    assert.match(text, /24 °C/);
    assert.match(text, /The disk &lt;b&gt;sda&lt;\/b&gt; is broken\./);
    assert.match(text, /aria-label="What to do about web-10"/);
    assert.match(text, /aria-label="web-10, unit 6, clean failed, needs you"/, 'in the drawing of the rack');
    assert.match(text, /<b>1<\/b><span>needs you<\/span>/);
  });

  it('filters, sorts and groups by what the address says, and ignores what means nothing', async (t) => {
    const { names, shown } = await withMachines(t);
    assert.deepEqual(await names('?sort=name'), ['db-1', 'web-2', 'web-10'], 'numbers as numbers');
    assert.deepEqual(await names('?sort=-name'), ['web-10', 'web-2', 'db-1']);
    assert.deepEqual(await names('?sort=hardware&class=web'), ['web-2', 'web-10'], 'unknown comes last');
    assert.deepEqual(await names('?sort=-hardware&class=web'), ['web-2', 'web-10'], 'unknown comes last');
    assert.deepEqual(await names('?only=problems'), ['web-10']);
    assert.deepEqual(await names('?class=web&state=active'), ['web-2']);
    assert.deepEqual(await names('?image=http://images.example/debian-13.raw'), ['web-2']);
    assert.equal((await names('?sort=constructor&only=__proto__&group=toString&column=__proto__')).length, 3);
    assert.match(await shown('?class=none'), /No machine fits/);
    const grouped = await shown('?group=class');
    assert.deepEqual(
      [...grouped.matchAll(/scope="rowgroup"[^>]*>\s*([\w ]+?)\s*<span class="count">(\d)/g)].map(
        ([, name, count]) => `${name} ${count}`,
      ),
      ['db 1', 'web 2'],
    );
  });

  it('keeps the whole query in every address but what the address changes', () => {
    const query = machineQuery(
      new URLSearchParams('q=a&class=web&only=working&group=rack&sort=-name&column=uuid'),
    );
    assert.equal(
      machinesAddress(query, { sort: 'name', group: undefined }),
      '/ui/?q=a&class=web&only=working&sort=name&column=uuid',
    );
    assert.equal(machinesAddress(machineQuery(new URLSearchParams())), '/ui/');
  });

  it('answers a live page with the rows that have changed, and all figures', async (t) => {
    const { shown, names, web } = await withMachines(t);
    assert.deepEqual(await names(`?group=class&changed=${web.uuid}`), ['web-2']);
    const text = await shown(`?group=class&changed=${web.uuid}`);
    assert.match(text, /id="counts"/);
    assert.match(text, /id="elevation"/);
    assert.match(text, /web <span class="count">2</, 'groups count all their machines');
  });

  it('says how far work is, and when the last one is done if the usual time is known', async (t) => {
    const { daemon, shown, db } = await withMachines(t);
    const { services, clock } = daemon;
    for (const seconds of [100, 100, 100]) services.workTimes.store(db.uuid, ['inspecting', seconds]);
    services.db.nodes.update(db.uuid, { provision_state: 'inspecting' });
    const node = daemon.node(db.uuid);
    for (const tell of services.transitions.stored) tell(node, node);
    await clock.advance(30_000);
    assert.deepEqual(readMachineRows(services).find(({ uuid }) => uuid === db.uuid)?.progress, {
      age: 30,
      usual: 100,
      step: undefined,
    });
    const text = await shown('');
    assert.match(text, /about 70 s left/);
    assert.match(text, /working, last one done in about 70 s/);
    await clock.advance(100_000);
    assert.match(await shown(''), /2 min, usually 100 s/);
  });

  it('draws no rack where no machine has a unit, and takes units and heights that no rack has for none', async (t) => {
    const daemon = await startInProcess(t);
    for (const unit of [0, -1, 1.5, 61, 1e9]) await daemon.createNode({ extra: { rack: 'R1', unit } });
    assert.doesNotMatch((await get(daemon, '/ui/')).text, /id="elevation"/);
    await daemon.createNode({ name: 'tall', extra: { rack: 'R1', unit: 60, height: 1e9 } });
    assert.match((await get(daemon, '/ui/')).text, /aria-label="tall, unit 60/);
  });

  it('says how to add machines where there is none', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await get(daemon, '/ui/');
    for (const place of ['/ui/add"', '/ui/add/many"', '/ui/add/discovered"', '/ui/setup"'])
      assert.ok(text.includes(`href="${place}`), place);
  });
});

const found = async (daemon: Awaited<ReturnType<typeof withMachines>>['daemon'], query: string) => {
  const { text, headers } = await get(daemon, `/ui/palette?${query}`);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  return JSON.parse(text) as {
    subject: string;
    entries: { kind: string; label: string; action?: string }[];
  };
};

describe('the palette', () => {
  it('finds machines and views, and the actions that fit the chosen machines', async (t) => {
    const { daemon, web, web10 } = await withMachines(t);
    const labels = async (query: string) => (await found(daemon, query)).entries.map(({ label }) => label);
    assert.deepEqual((await labels('q=web-')).slice(0, 2), ['web-10', 'web-2']);
    assert.deepEqual(await labels('q=heal'), ['Health']);
    const chosen = await found(daemon, `q=power&node=${web.uuid}`);
    assert.equal(chosen.subject, 'web-2');
    assert.ok(chosen.entries.some(({ action }) => action === 'power-off'));
    const both = await found(daemon, `q=&node=${web.uuid}&node=${web10.uuid}&node=nobody`);
    assert.equal(both.subject, '2 machines');
    assert.ok(['undeploy', 'manage'].every((name) => both.entries.some(({ action }) => action === name)));
    assert.deepEqual((await found(daemon, 'q=power')).entries, [], 'no action without a machine');
  });
});
