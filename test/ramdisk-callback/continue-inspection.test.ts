import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { provisionStates, statesThat } from '../../daemon/model/states/provision-states.ts';
import { type InProcessDaemon, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { GENERIC, internal, MAC, UNKNOWN, waitingNode } from './waiting-node.ts';

const reportOf = (more: object, interfaces: unknown = [{ name: 'eth0', mac_address: MAC }]) => ({
  inventory: { interfaces, cpu: { architecture: 'x86_64', count: 4 }, memory: { physical_mb: 1024 } },
  ...more,
});

const report = (daemon: InProcessDaemon, body: unknown, options: object = {}, query = '') =>
  daemon.request('POST', `/v1/continue_inspection${query}`, { version: null, body, ...options });

const bodies = new URL('../fixtures/inspection/', import.meta.url);

for (const file of readdirSync(bodies).toSorted()) {
  test(`the report ${file} is accepted and ends the inspection`, async (t) => {
    const text = readFileSync(new URL(file, bodies), 'utf8');
    const posted = JSON.parse(text) as {
      inventory: { interfaces: { mac_address: string }[] };
      error?: unknown;
    };
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    await daemon.createPort(uuid, posted.inventory.interfaces[0]?.mac_address ?? '');
    daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
    const answer = await report(daemon, text);
    assert.deepEqual([answer.status, answer.body], [202, { uuid }]);
    assert.equal(daemon.node(uuid).provision_state, 'inspecting');
    await daemon.idle();
    const node = daemon.node(uuid);
    assert.equal(node.power_state, 'power off');
    if (posted.error) {
      assert.equal(node.provision_state, 'inspect failed');
      assert.match(node.last_error ?? '', /Failed to finish inspection/);
      return;
    }
    assert.deepEqual([node.provision_state, node.last_error], ['manageable', null]);
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
    assert.deepEqual(body['inventory'], posted.inventory);
    assert.equal((body['plugin_data'] as Record<string, unknown>)['logs'], undefined);
    assert.equal(typeof node.properties['cpu_arch'], 'string');
  });
}

test("numbers beyond JavaScript's precision are stored exactly", async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const inventory = `{"interfaces":[{"name":"eth0","mac_address":"${MAC}"}],"cpu":{"architecture":"x86_64","count":4},"memory":{"physical_mb":1024},"disks":[{"size":18446744073709551615,"speed":1e999}]}`;
  const pluginData = '"serial":12345678901234567890,"counters":{"ticks":[9007199254740993]}';
  await report(daemon, `{"inventory":${inventory},${pluginData}}`);
  await daemon.idle();
  assert.equal(daemon.node(uuid).last_error, null);
  const stored = async () => (await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).text;
  const first = await stored();
  assert.ok(first.startsWith(`{"inventory":${inventory},"plugin_data":{${pluginData}`), first);
  const again = await daemon.request('POST', `/v1/nodes/${uuid}/inventory/reprocess`, { body: {} });
  assert.equal(again.status, 200, again.text);
  assert.equal(await stored(), first);
});

test('version 1.84 answers a report with the token; versions 1.2 to 1.83, and 1.1 with node_uuid, answer 404', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  for (const version of [2, 68, 83]) {
    assert.equal((await report(daemon, reportOf({}), { version })).status, 404, `1.${version}`);
  }
  assert.equal((await report(daemon, reportOf({}), { version: 1 }, `?node_uuid=${uuid}`)).status, 404);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  const answer = await report(daemon, reportOf({}), { version: 84 }, `?node_uuid=${uuid}`);
  assert.equal(answer.status, 202, answer.text);
  assert.match(String((answer.body['config'] as Record<string, unknown>)['agent_token']), /^[\w-]{43}$/);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  assert.deepEqual(internal(daemon, uuid), {}, 'the node keeps nothing of the agent');
});

test('a report for a locked node is answered with 409 and stores no token', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const release = daemon.services.locks.tryAcquire(uuid);
  const answer = report(daemon, reportOf({}), { version: 84 });
  while (daemon.clock.pending === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await daemon.clock.advance(2000);
  assert.equal((await answer).status, 409);
  release?.();
  assert.deepEqual(internal(daemon, uuid), {});
  const retried = await report(daemon, reportOf({}), { version: 84 });
  assert.match(String((retried.body['config'] as Record<string, unknown>)['agent_token']), /^[\w-]{43}$/);
  await daemon.idle();
});

test('an invalid report is answered with 400 and a reason, and changes nothing', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const before = daemon.node(uuid);
  const cases: readonly (readonly [unknown, RegExp])[] = [
    ['', /not valid JSON/],
    ['{', /not valid JSON/],
    [new Uint8Array([0xff, 0xfe]), /not valid JSON/],
    [[], /not of type object/],
    [{}, /'inventory' is a required/],
    [{ inventory: [] }, /'inventory' is a required/],
    [{ inventory: {} }, /'inventory.interfaces'/],
    [reportOf({}, []), /at least one interface/],
    [reportOf({}, [null]), /'mac_address'/],
    [reportOf({}, [{ mac_address: 5 }]), /'mac_address'/],
    [reportOf({}, [{ mac_address: 'x' }]), /no valid MAC or BMC address/],
    [{ inventory: { interfaces: [{ mac_address: MAC }], bmc_address: 5 } }, /bmc_address/],
    [`{"inventory":${'['.repeat(30)}`, /nested deeper than 25/],
  ];
  for (const [body, fault] of cases) {
    const answer = await report(daemon, body);
    assert.equal(answer.status, 400, `${String(body)} ${answer.text}`);
    assert.match(answer.fault, fault);
  }
  assert.deepEqual(daemon.node(uuid), before);
});

const addressed = (...lookup_bmc_addresses: string[]) => ({
  provision_state: 'inspect wait' as const,
  driver_internal_info: { lookup_bmc_addresses },
});

const machine = (mac: string | readonly string[], bmc_address?: string, bmc_v6address?: string) => ({
  inventory: {
    interfaces: [mac].flat().map((mac_address) => ({ mac_address })),
    bmc_address,
    bmc_v6address,
  },
});

test('a report is matched to a node by MAC or BMC addresses, and every mismatch gets the same 404', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const bmc = await daemon.createNode({ driver: 'lab' });
  const twin = await daemon.createNode({ driver: 'lab' });
  const idle = await daemon.createNode({ driver: 'lab' });
  await daemon.createPort(bmc.uuid, '52:54:00:00:00:02');
  await daemon.createPort(idle.uuid, '52:54:00:00:00:03');
  daemon.services.db.nodes.update(bmc.uuid, addressed('192.0.2.1', '192.0.2.9', '2001:db8::1'));
  daemon.services.db.nodes.update(twin.uuid, addressed('192.0.2.9'));
  const misses: readonly (readonly [object, string?])[] = [
    [machine('52:54:00:00:00:99')],
    [machine('52:54:00:00:00:99', '192.0.2.77')],
    [machine('52:54:00:00:00:99', '192.0.2.9')],
    [machine('52:54:00:00:00:99', '0.0.0.0')],
    [machine('52:54:00:00:00:03')],
    [machine([MAC, '52:54:00:00:00:02'])],
    [machine(MAC, '192.0.2.1')],
    [machine(MAC), bmc.uuid],
    [machine('52:54:00:00:00:99'), UNKNOWN],
    [machine('52:54:00:00:00:99'), idle.uuid],
  ];
  for (const [body, node] of misses) {
    const query = node === undefined ? '' : `?node_uuid=${node}`;
    const answer = await report(daemon, body, { version: 84 }, query);
    assert.deepEqual([answer.status, answer.fault], [404, GENERIC], JSON.stringify(body));
  }
  const hits: readonly (readonly [object, string])[] = [
    [machine([MAC.toUpperCase(), '52:54:00:00:00:99'], '192.0.2.77'), uuid],
    [machine('52:54:00:00:00:99', '192.0.2.1'), bmc.uuid],
    [machine('52:54:00:00:00:99', undefined, '2001:DB8:0::1'), bmc.uuid],
    [machine('52:54:00:00:00:02', '192.0.2.9'), bmc.uuid],
  ];
  for (const [body, node] of hits) {
    const before = daemon.node(node);
    const answer = await report(daemon, body);
    assert.deepEqual([answer.status, answer.body], [202, { uuid: node }], JSON.stringify(body));
    await daemon.idle();
    daemon.services.db.nodes.update(node, before);
  }
});

test('a node accepts a report only in inspect wait', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const taken = [];
  for (const provision_state of provisionStates) {
    daemon.services.db.nodes.update(uuid, { provision_state });
    const { status } = await report(daemon, reportOf({}));
    assert.ok([202, 404].includes(status), provision_state);
    if (status === 202) taken.push(provision_state);
    await daemon.idle();
  }
  assert.deepEqual(taken, ['inspect wait']);
  assert.deepEqual(taken, statesThat('inspectionReport'));
});

test('a report is answered with 503 when all workers are busy, and the node stays in inspect wait', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[conductor]\nworkers_pool_size = 3\n' });
  const places = [1, 2, 3].map(() => daemon.services.workers.enter('request'));
  const before = daemon.node(uuid);
  assert.equal((await report(daemon, reportOf({}))).status, 503);
  assert.deepEqual(daemon.node(uuid), before);
  for (const leave of places) leave();
});

test('when the machine cannot be powered off, the inspection fails and the node keeps the inspected properties', async (t) => {
  const { daemon, uuid } = await waitingNode(
    t,
    {},
    { driver_info: { lab_stuck: 'yes', lab_power: 'power on' } },
  );
  await report(daemon, reportOf({}));
  await daemon.idle();
  const { provision_state, last_error, properties } = daemon.node(uuid);
  assert.equal(provision_state, 'inspect failed');
  assert.match(last_error ?? '', /Failed to finish inspection.*no answer/);
  assert.equal(properties['cpu_arch'], 'x86_64');
});
