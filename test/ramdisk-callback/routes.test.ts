import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Node } from '../../daemon/model/node.ts';
import { statesThat, provisionStates } from '../../daemon/model/provision-states.ts';
import { type InProcessDaemon, type InProcessOptions, startInProcess } from '../fakes/in-process-daemon.ts';

const MAC = '52:54:00:00:00:01';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const GENERIC = 'Resource could not be found.';
type Test = Parameters<typeof startInProcess>[0];

/** A node that waits for its ramdisk, with one port. */
async function waiting(t: Test, options: InProcessOptions = {}, fields: object = {}) {
  const daemon = await startInProcess(t, options);
  const { uuid } = await daemon.createNode({ driver: 'lab', ...fields });
  await daemon.createPort(uuid, MAC);
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
  return { daemon, uuid };
}

const internal = (daemon: InProcessDaemon, uuid: string): Node['driver_internal_info'] =>
  daemon.node(uuid).driver_internal_info;
const remember = (daemon: InProcessDaemon, uuid: string, more: Node['driver_internal_info']) =>
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { ...internal(daemon, uuid), ...more } });

test('lookup gives the token in clear once, and masked ever after', async (t) => {
  const { daemon, uuid } = await waiting(t);
  const lookup = async (version = 68) =>
    (await daemon.request('GET', `/v1/lookup?addresses=${MAC}`, { version })).body['config'] as Record<
      string,
      unknown
    >;
  assert.equal((await lookup(61))['agent_token'], null);
  const token = String((await lookup())['agent_token']);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(internal(daemon, uuid)['agent_secret_token'], token);
  const again = await daemon.request('GET', `/v1/lookup?node_uuid=${uuid}`);
  assert.equal((again.body['config'] as Record<string, unknown>)['agent_token'], '******');
  assert.doesNotMatch(again.text, new RegExp(token));
  assert.doesNotMatch((await daemon.request('GET', `/v1/nodes/${uuid}`)).text, new RegExp(token));
});

test('lookup tells the ramdisk its node and how to behave', async (t) => {
  const { daemon, uuid } = await waiting(t, { ini: '[api]\nramdisk_heartbeat_timeout = 77\n' });
  const { status, body } = await daemon.request('GET', `/v1/lookup?addresses=foo,${MAC.toUpperCase()}`);
  assert.equal(status, 200);
  const keys = ['uuid', 'properties', 'instance_info', 'driver_internal_info', 'links'];
  assert.deepEqual(Object.keys(body['node'] as object), keys);
  assert.equal((body['node'] as Node).uuid, uuid);
  const config = body['config'] as Record<string, unknown>;
  assert.deepEqual([config['heartbeat_timeout'], config['agent_token_required']], [77, true]);
});

test('lookup finds nodes in the states that expect a ramdisk, and all of them when not restricted', async (t) => {
  const allowed = ['deploying', 'wait call-back', 'cleaning', 'clean wait', 'inspecting', 'inspect wait'];
  allowed.push('rescuing', 'rescue wait', 'service wait');
  for (const [ini, expected] of [
    ['', allowed],
    ['[api]\nrestrict_lookup = false\n', provisionStates],
  ] as const) {
    const { daemon, uuid } = await waiting(t, { ini });
    const found: string[] = [];
    for (const provision_state of provisionStates) {
      daemon.services.db.nodes.update(uuid, { provision_state });
      const answer = await daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
      if (answer.status === 200) found.push(provision_state);
      else assert.deepEqual([answer.status, answer.fault], [404, GENERIC], provision_state);
    }
    assert.deepEqual(found.toSorted(), expected.toSorted());
  }
});

test('lookup refuses what names no machine, and answers every near miss alike', async (t) => {
  const { daemon, uuid } = await waiting(t);
  const other = await daemon.createNode();
  await daemon.createPort(other.uuid, '52:54:00:00:00:02');
  const cases: readonly (readonly [string, number, number?])[] = [
    ['', 400],
    ['?addresses=', 400],
    ['?addresses=52-54-00-00-00-01,x', 400],
    ['?node_uuid=x', 400],
    ['?foo=1', 400],
    [`?addresses=${MAC}`, 404, 21],
    ['?addresses=52:54:00:00:00:99', 404],
    ['?addresses=52:54:00:00:00:02', 404],
    [`?addresses=${MAC},52:54:00:00:00:02`, 404],
    [`?node_uuid=${UNKNOWN}`, 404],
    [`?node_uuid=${uuid}&addresses=52:54:00:00:00:02`, 200],
  ];
  for (const [query, status, version = 115] of cases) {
    const answer = await daemon.request('GET', `/v1/lookup${query}`, { version });
    assert.equal(answer.status, status, query);
    if (status === 404 && version > 21) assert.equal(answer.fault, GENERIC);
  }
});

test('a token is not made on a locked node, and shown masked there when it exists', async (t) => {
  const { daemon, uuid } = await waiting(t);
  const release = daemon.services.locks.tryAcquire(uuid);
  const lookup = () => daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
  assert.equal((await lookup()).status, 409);
  release?.();
  assert.equal((await lookup()).status, 200);
  daemon.services.locks.tryAcquire(uuid);
  assert.equal((await lookup()).status, 200);
});

const TOKEN = 't'.repeat(43);
const beat = { callback_url: 'https://10.0.0.5:9999', agent_token: TOKEN, agent_version: '10.0.0' };

const heartbeat = (daemon: InProcessDaemon, node: string, body: object, version = 68) =>
  daemon.request('POST', `/v1/heartbeat/${node}`, { body, version });

test('a heartbeat is recorded in the states that wait for one, and only taken note of in others', async (t) => {
  const { daemon, uuid } = await waiting(t);
  const recorded: string[] = [];
  for (const provision_state of provisionStates) {
    const driver_internal_info = { agent_secret_token: TOKEN };
    daemon.services.db.nodes.update(uuid, { provision_state, driver_internal_info });
    const answer = await heartbeat(daemon, uuid, { ...beat, agent_verify_ca: 'PEM' });
    assert.deepEqual([answer.status, answer.text], [202, ''], provision_state);
    if (internal(daemon, uuid)['agent_url'] === undefined) continue;
    recorded.push(provision_state);
    const { agent_url, agent_version, agent_verify_ca, agent_last_heartbeat } = internal(daemon, uuid);
    const seen = [agent_url, agent_version, agent_verify_ca, agent_last_heartbeat];
    assert.deepEqual(seen, [beat.callback_url, '10.0.0', 'PEM', '2026-01-01T00:00:00.000+00:00']);
  }
  const expected = ['wait call-back', 'clean wait', 'rescue wait', 'service wait', 'deploying', 'cleaning'];
  expected.push('rescuing', 'servicing', 'deploy hold', 'clean hold', 'service hold');
  assert.deepEqual(recorded.toSorted(), expected.toSorted());
});

test('a heartbeat that is not right is refused and leaves no trace', async (t) => {
  const { daemon, uuid } = await waiting(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  const before = daemon.node(uuid);
  const { agent_token: _, ...tokenless } = beat;
  const { agent_version: __, ...versionless } = beat;
  const cases: readonly (readonly [object, number, number?, string?])[] = [
    [{}, 400],
    [tokenless, 400],
    [versionless, 400],
    [{ ...beat, agent_token: 'u'.repeat(43) }, 400],
    [{ ...beat, agent_token: '******' }, 400],
    [{ ...beat, agent_token: '' }, 400],
    [{ ...beat, agent_token: 5 }, 400],
    [{ ...beat, callback_url: null }, 400],
    [{ ...beat, callback_url: 'ftp://x' }, 400],
    [{ ...beat, callback_url: 'http://10.0.0.5:9999' }, 400],
    [{ ...beat, agent_status: 'dancing' }, 400],
    [{ ...beat, foo: 1 }, 400],
    [beat, 400, 35],
    [{ ...beat, agent_verify_ca: 'x' }, 400, 67],
    [{ ...beat, agent_status: 'start' }, 400, 71],
    [{ ...beat, agent_status_message: 'x' }, 400, 71],
    [beat, 404, 21],
    [beat, 404, 68, UNKNOWN],
    [beat, 400, 68, 'a b'],
  ];
  for (const [body, status, version, node] of cases) {
    const answer = await heartbeat(daemon, encodeURIComponent(node ?? uuid), body, version);
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.doesNotMatch(answer.text, new RegExp(TOKEN));
  }
  assert.deepEqual(daemon.node(uuid), before);
});

test('an agent that knew no versions yet needs none', async (t) => {
  const { daemon, uuid } = await waiting(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  const { agent_version: _, ...body } = beat;
  assert.equal((await heartbeat(daemon, uuid, body, 35)).status, 202);
  assert.equal((await heartbeat(daemon, uuid, body, 36)).status, 400);
  assert.equal((await heartbeat(daemon, uuid, { ...body, agent_status: 'end' }, 72)).status, 202);
});

test('an agent keeps its address and certificate', async (t) => {
  const { daemon, uuid } = await waiting(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  const body = { ...beat, agent_verify_ca: 'PEM' };
  assert.equal((await heartbeat(daemon, uuid, body)).status, 202);
  assert.equal((await heartbeat(daemon, uuid, body)).status, 202);
  const moved = await heartbeat(daemon, uuid, { ...body, callback_url: 'https://10.0.0.6:9999' });
  assert.match(moved.fault, /callback_url/);
  const changed = await heartbeat(daemon, uuid, { ...body, agent_verify_ca: 'OTHER' });
  assert.match(changed.fault, /agent_verify_ca/);
});

test('plain http is taken when TLS is not required, and the node may be named in the body', async (t) => {
  const { daemon, uuid } = await waiting(t, { ini: '[agent]\nrequire_tls = false\n' }, { name: 'n' });
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  const body = { ...beat, callback_url: 'http://10.0.0.5:9999', node_ident: 'n' };
  assert.equal((await daemon.request('POST', '/v1/heartbeat', { body })).status, 202);
  const { node_ident: _, ...nameless } = body;
  assert.equal((await daemon.request('POST', '/v1/heartbeat', { body: nameless })).status, 400);
});

test('a first heartbeat to a locked node is asked to come again, a later one is let go', async (t) => {
  const { daemon, uuid } = await waiting(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  const release = daemon.services.locks.tryAcquire(uuid);
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 409);
  release?.();
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 202);
  daemon.services.locks.tryAcquire(uuid);
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 202);
});

test('all three are 403 when ramdisks may not call', async (t) => {
  const { daemon, uuid } = await waiting(t, { ini: '[api]\nenable_ramdisk_endpoints = false\n' });
  const answers = [
    await daemon.request('GET', `/v1/lookup?addresses=${MAC}`),
    await heartbeat(daemon, uuid, beat),
    await report(daemon, reportOf({})),
  ];
  for (const { status, fault } of answers) {
    assert.equal(status, 403);
    assert.match(fault, /enable_ramdisk_endpoints/);
  }
});

const reportOf = (more: object, interfaces: unknown = [{ name: 'eth0', mac_address: MAC }]) => ({
  inventory: { interfaces, cpu: { architecture: 'x86_64', count: 4 }, memory: { physical_mb: 1024 } },
  ...more,
});

const report = (daemon: InProcessDaemon, body: unknown, options: object = {}, query = '') =>
  daemon.request('POST', `/v1/continue_inspection${query}`, { version: null, body, ...options });

const bodies = new URL('../fixtures/inspection/', import.meta.url);

for (const file of readdirSync(bodies).toSorted()) {
  test(`what a ramdisk posted (${file}) is accepted at once and ends in a defined state`, async (t) => {
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

test('with 1.84 the answer is that of lookup, with the token; in between there is no such resource', async (t) => {
  const { daemon, uuid } = await waiting(t);
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
  assert.deepEqual(internal(daemon, uuid), {}, 'nothing of the agent is trusted any more');
});

test('a report that cannot be taken now leaves no token that nobody got', async (t) => {
  const { daemon, uuid } = await waiting(t);
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

test('a report that is not right is 400 with a reason and changes nothing', async (t) => {
  const { daemon, uuid } = await waiting(t);
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

test('a machine is known by what agrees, and every near miss is the same 404', async (t) => {
  const { daemon, uuid } = await waiting(t);
  const bmc = await daemon.createNode({ driver: 'lab' });
  const twin = await daemon.createNode({ driver: 'lab' });
  const idle = await daemon.createNode({ driver: 'lab' });
  await daemon.createPort(bmc.uuid, '52:54:00:00:00:02');
  await daemon.createPort(idle.uuid, '52:54:00:00:00:03');
  const addressed = (...lookup_bmc_addresses: string[]) => ({
    provision_state: 'inspect wait' as const,
    driver_internal_info: { lookup_bmc_addresses },
  });
  daemon.services.db.nodes.update(bmc.uuid, addressed('192.0.2.1', '192.0.2.9', '2001:db8::1'));
  daemon.services.db.nodes.update(twin.uuid, addressed('192.0.2.9'));
  const machine = (mac: string | readonly string[], bmc_address?: string, bmc_v6address?: string) => ({
    inventory: {
      interfaces: [mac].flat().map((mac_address) => ({ mac_address })),
      bmc_address,
      bmc_v6address,
    },
  });
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

test('only a node that waits for a report takes one', async (t) => {
  const { daemon, uuid } = await waiting(t);
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

test('with every worker busy a report is 503 and the node goes on waiting', async (t) => {
  const { daemon, uuid } = await waiting(t, { ini: '[conductor]\nworkers_pool_size = 3\n' });
  const places = [1, 2, 3].map(() => daemon.services.workers.enter('request'));
  const before = daemon.node(uuid);
  assert.equal((await report(daemon, reportOf({}))).status, 503);
  assert.deepEqual(daemon.node(uuid), before);
  for (const leave of places) leave();
});

test('a machine that cannot be left as it should fails its inspection, with what was found kept', async (t) => {
  const { daemon, uuid } = await waiting(t, {}, { driver_info: { lab_stuck: 'yes', lab_power: 'power on' } });
  await report(daemon, reportOf({}));
  await daemon.idle();
  const { provision_state, last_error, properties } = daemon.node(uuid);
  assert.equal(provision_state, 'inspect failed');
  assert.match(last_error ?? '', /Failed to finish inspection.*no answer/);
  assert.equal(properties['cpu_arch'], 'x86_64');
});
