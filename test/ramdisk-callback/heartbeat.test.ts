import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisionStates } from '../../daemon/model/states/provision-states.ts';
import { type InProcessDaemon } from '../fakes/daemon/in-process-daemon.ts';
import { internal, remember, UNKNOWN, waitingNode } from './waiting-node.ts';

const TOKEN = 't'.repeat(43);
const beat = { callback_url: 'https://10.0.0.5:9999', agent_token: TOKEN, agent_version: '10.0.0' };

const heartbeat = (daemon: InProcessDaemon, node: string, body: object, version = 68) =>
  daemon.request('POST', `/v1/heartbeat/${node}`, { body, version });

test('a heartbeat is recorded only in the states that expect one', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const recorded: string[] = [];
  for (const provision_state of provisionStates) {
    const driver_internal_info = { agent_secret_token: TOKEN };
    // in maintenance the heartbeat triggers no further action
    daemon.services.db.nodes.update(uuid, { provision_state, driver_internal_info, maintenance: true });
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

test('a heartbeat field that is too long is refused with its name, length and limit', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  const before = daemon.node(uuid);
  const limits = {
    callback_url: 2048,
    agent_token: 255,
    agent_version: 255,
    agent_verify_ca: 65_536,
    agent_status_message: 16_384,
  };
  for (const [name, limit] of Object.entries(limits)) {
    const body = { ...beat, [name]: 'x'.repeat(limit + 1) };
    const refused = await heartbeat(daemon, uuid, body, 72);
    assert.equal(refused.status, 400);
    assert.equal(
      refused.fault,
      `Invalid input for ${name}: it has ${limit + 1} characters, and at most ${limit} are accepted`,
    );
  }
  assert.deepEqual(daemon.node(uuid), before);
  const longest = { ...beat, agent_version: 'x'.repeat(255), agent_verify_ca: 'x'.repeat(65_536) };
  assert.equal((await heartbeat(daemon, uuid, longest, 72)).status, 202);
});

test('an invalid heartbeat is refused and changes nothing', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
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
    [beat, 400, 68, UNKNOWN],
    [beat, 400, 68, 'a b'],
  ];
  for (const [body, status, version, node] of cases) {
    const answer = await heartbeat(daemon, encodeURIComponent(node ?? uuid), body, version);
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
    assert.doesNotMatch(answer.text, new RegExp(TOKEN));
  }
  assert.deepEqual(daemon.node(uuid), before);
});

test('a wrong or missing token gets the same answer for known and unknown nodes', async (t) => {
  const { daemon, uuid } = await waitingNode(t, {}, { name: 'rack1' });
  const known = { agent_url: 'https://10.0.0.9:9999', agent_verify_ca: 'OTHER' };
  remember(daemon, uuid, { agent_secret_token: TOKEN, ...known });
  const { agent_token: _, ...tokenless } = beat;
  const bodies = [
    { ...beat, agent_token: 'wrong' },
    { ...beat, agent_token: 'wrong', callback_url: 'http://127.0.0.1:1', agent_verify_ca: 'PEM' },
    { ...beat, agent_token: 'wrong', callback_url: 'https://[::1' },
    tokenless,
  ];
  for (const body of bodies) {
    const [unknown, ...others] = await Promise.all(
      [UNKNOWN, 'nobody', uuid, 'rack1'].map((node) => heartbeat(daemon, node, body)),
    );
    assert.equal(unknown?.status, 400);
    for (const other of others)
      assert.deepEqual([other.status, other.text], [unknown?.status, unknown?.text], JSON.stringify(body));
  }
});

test('a callback_url with a loopback, link-local, multicast, broadcast or unspecified address is refused', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  const refused = [
    '127.0.0.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '169.254.169.254',
    '[fe80::1]',
    '0.0.0.0',
  ];
  for (const host of [...refused, '224.0.0.1', '[ff02::1]', '255.255.255.255']) {
    const answer = await heartbeat(daemon, uuid, { ...beat, callback_url: `https://${host}:9999` });
    assert.equal(answer.status, 400, host);
    assert.match(
      answer.fault,
      /sent callback_url https:.*, which is refused: .*\[agent\] callback_networks/,
      host,
    );
  }
  const taken = { ...beat, callback_url: 'https://ramdisk.example:9999' };
  assert.equal((await heartbeat(daemon, uuid, taken)).status, 202);
});

test('callback_networks restricts the host of callback_url', async (t) => {
  const ini = '[agent]\ncallback_networks = 127.0.0.0/8, 192.0.2.0/24\n';
  const { daemon, uuid } = await waitingNode(t, { ini });
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  for (const [host, status] of [
    ['127.0.0.1', 202],
    ['192.0.2.7', 202],
    ['192.0.3.7', 400],
    ['[::1]', 400],
  ] as const) {
    const answer = await heartbeat(daemon, uuid, { ...beat, callback_url: `https://${host}:9999` });
    assert.equal(answer.status, status, host);
  }
});

test('agent_version is required from version 1.36, except when agent_status is given', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  const { agent_version: _, ...body } = beat;
  assert.equal((await heartbeat(daemon, uuid, body, 35)).status, 202);
  assert.equal((await heartbeat(daemon, uuid, body, 36)).status, 400);
  assert.equal((await heartbeat(daemon, uuid, { ...body, agent_status: 'end' }, 72)).status, 202);
});

test('a heartbeat that changes callback_url or agent_verify_ca is refused', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean hold' });
  const body = { ...beat, agent_verify_ca: 'PEM' };
  assert.equal((await heartbeat(daemon, uuid, body)).status, 202);
  assert.equal((await heartbeat(daemon, uuid, body)).status, 202);
  const moved = await heartbeat(daemon, uuid, { ...body, callback_url: 'https://10.0.0.6:9999' });
  assert.match(moved.fault, /callback_url/);
  const changed = await heartbeat(daemon, uuid, { ...body, agent_verify_ca: 'OTHER' });
  assert.match(changed.fault, /agent_verify_ca/);
});

test('plain HTTP is accepted when require_tls is false, and node_ident may name the node', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[agent]\nrequire_tls = false\n' }, { name: 'n' });
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  const body = { ...beat, callback_url: 'http://10.0.0.5:9999', node_ident: 'n' };
  assert.equal((await daemon.request('POST', '/v1/heartbeat', { body })).status, 202);
  const { node_ident: _, ...nameless } = body;
  assert.equal((await daemon.request('POST', '/v1/heartbeat', { body: nameless })).status, 400);
});

test('an installer reports its status without a callback URL; no other heartbeat may omit it', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[agent]\nrequire_tls = false\n' });
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'wait call-back' });
  const status = { callback_url: '', agent_token: TOKEN, agent_status: 'start' };
  const answer = await heartbeat(daemon, uuid, status, 72);
  assert.equal(answer.status, 202, answer.text);
  const { status: refused, fault } = await heartbeat(daemon, uuid, { ...beat, callback_url: '' }, 72);
  assert.equal(refused, 400);
  assert.match(fault, /callback_url/);
});

test('a heartbeat to a locked node is answered with 202 if an earlier one was accepted, else with 409', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean hold' });
  const release = daemon.services.locks.tryAcquire(uuid);
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 409);
  release?.();
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 202);
  daemon.services.locks.tryAcquire(uuid);
  assert.equal((await heartbeat(daemon, uuid, beat)).status, 202);
});

test("an installer's report to a locked node waits until the node is free", async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[agent]\nrequire_tls = false\n' });
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'wait call-back' });
  const release = daemon.services.locks.tryAcquire(uuid);
  const status = { callback_url: '', agent_token: TOKEN, agent_status: 'start' };
  const answer = heartbeat(daemon, uuid, status, 72);
  setImmediate(() => release?.());
  assert.equal((await answer).status, 202);
});

test('one address may send 200 heartbeats at once, and a machine with another address is not affected', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait' });
  const from = async (visitor: string) =>
    (
      await daemon.app.fetch(
        new Request(`http://127.0.0.1/v1/heartbeat/${uuid}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.68' },
          body: JSON.stringify(beat),
        }),
        { visitor },
      )
    ).status;
  const statuses: number[] = [];
  for (let sent = 0; sent < 202; sent += 1) statuses.push(await from('10.0.0.66'));
  assert.deepEqual(new Set(statuses.slice(0, 200)), new Set([202]));
  assert.deepEqual(statuses.slice(200), [503, 503]);
  assert.equal(await from('10.0.0.5'), 202);
});
