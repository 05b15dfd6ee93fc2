import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '../../daemon/model/records/node.ts';
import { provisionStates } from '../../daemon/model/states/provision-states.ts';
import { GENERIC, internal, MAC, UNKNOWN, waitingNode } from './waiting-node.ts';

test('lookup returns the token in clear once and masked afterwards', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const lookup = async (version = 68) =>
    (await daemon.request('GET', `/v1/lookup?addresses=${MAC}`, { version })).body['config'] as Record<
      string,
      unknown
    >;
  assert.equal((await lookup(61))['agent_token'], null);
  const token = String((await lookup())['agent_token']);
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(internal(daemon, uuid)['agent_secret_token'], token);
  const logged = daemon
    .log()
    .split('\n')
    .filter((line) => line.includes('received its agent token'));
  assert.equal(logged.length, 1);
  assert.match(logged[0] ?? '', new RegExp(`"level":"info".*"node":"${uuid}".*"client":null`));
  assert.ok(!daemon.log().includes(token));
  const again = await daemon.request('GET', `/v1/lookup?node_uuid=${uuid}`);
  assert.equal((again.body['config'] as Record<string, unknown>)['agent_token'], '******');
  assert.doesNotMatch(again.text, new RegExp(token));
  assert.doesNotMatch((await daemon.request('GET', `/v1/nodes/${uuid}`)).text, new RegExp(token));
});

test('lookup gives a new agent of an idle node a token when the last agent has sent nothing for fast_track_timeout', async (t) => {
  const { daemon, uuid } = await waitingNode(t, {}, { driver_info: { fast_track: true } });
  const token = async () => {
    const { body } = await daemon.request('GET', `/v1/lookup?node_uuid=${uuid}`);
    return (body['config'] as Record<string, unknown>)['agent_token'];
  };
  const beyondTimeout = (daemon.services.config.deploy.fast_track_timeout + 1) * 1000;
  const first = await token();
  await daemon.clock.advance(beyondTimeout);
  assert.equal(await token(), '******', 'an inspection waits for the first agent');
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const second = String(await token());
  assert.match(second, /^[\w-]{43}$/);
  assert.notEqual(second, first);
  assert.equal(await token(), '******', 'the new agent has only just looked the node up');
});

test("lookup returns the node and the agent's configuration", async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: '[api]\nramdisk_heartbeat_timeout = 77\n' });
  const { status, body } = await daemon.request('GET', `/v1/lookup?addresses=foo,${MAC.toUpperCase()}`);
  assert.equal(status, 200);
  const keys = ['uuid', 'properties', 'instance_info', 'driver_internal_info', 'links'];
  assert.deepEqual(Object.keys(body['node'] as object), keys);
  assert.equal((body['node'] as Node).uuid, uuid);
  const config = body['config'] as Record<string, unknown>;
  assert.deepEqual([config['heartbeat_timeout'], config['agent_token_required']], [77, true]);
});

test('lookup masks secrets and returns only the node fields that an agent reads', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const rootDevice = { serial: 'S1' };
  daemon.services.db.nodes.update(uuid, {
    properties: {
      capabilities: 'boot_mode:uefi',
      skip_block_devices: [{ name: '/dev/sdb' }],
      notes: 'see https://u:property-login@wiki.test/',
      wifi_password: 'property-password',
    },
    instance_info: {
      root_device: rootDevice,
      capabilities: { boot_mode: 'uefi' },
      image_source: 'http://user:image-login@images.test/a.raw',
      configdrive: 'drive',
      display_name: 'shown to nobody',
    },
    driver_internal_info: {
      disk_erasure_concurrency: 4,
      agent_url: 'https://192.0.2.7:9999',
      user_clean_steps: [{ interface: 'deploy', step: 'x', args: { url: 'ftp://u:step-login@files.test' } }],
    },
  });
  const { body, text } = await daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
  const { links: _, ...node } = body['node'] as Node & { links: unknown };
  assert.deepEqual(node, {
    uuid,
    properties: {
      capabilities: 'boot_mode:uefi',
      skip_block_devices: [{ name: '/dev/sdb' }],
      notes: 'see https://******@wiki.test/',
      wifi_password: '******',
    },
    instance_info: { root_device: rootDevice, capabilities: { boot_mode: 'uefi' } },
    driver_internal_info: { disk_erasure_concurrency: 4 },
  });
  for (const secret of ['property-login', 'property-password', 'image-login', 'step-login', 'drive"'])
    assert.equal(text.includes(secret), false, secret);
});

test('lookup finds nodes in states that expect a ramdisk, and in all states with restrict_lookup = false', async (t) => {
  const allowed = ['deploying', 'wait call-back', 'cleaning', 'clean wait', 'inspecting', 'inspect wait'];
  allowed.push('rescuing', 'rescue wait', 'service wait');
  const cases: readonly (readonly [ini: string, expected: readonly string[]])[] = [
    ['', allowed],
    ['[api]\nrestrict_lookup = false\n', provisionStates],
  ];
  for (const [ini, expected] of cases) {
    const { daemon, uuid } = await waitingNode(t, { ini });
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

test('lookup refuses invalid queries and answers every mismatch with the same 404', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
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

test('lookup of a locked node answers 409 when the node has no token yet, else 200', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const release = daemon.services.locks.tryAcquire(uuid);
  const lookup = () => daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
  assert.equal((await lookup()).status, 409);
  release?.();
  assert.equal((await lookup()).status, 200);
  daemon.services.locks.tryAcquire(uuid);
  assert.equal((await lookup()).status, 200);
});
