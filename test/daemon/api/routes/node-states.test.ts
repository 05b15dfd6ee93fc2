import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('states shows the fields of each version', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const base = ['console_enabled', 'last_error', 'power_state', 'provision_state', 'target_power_state'];
  base.push('target_provision_state', 'provision_updated_at');
  for (const version of [1, 11, 12, 74, 75, 115]) {
    const raid = version >= 12 ? ['raid_config', 'target_raid_config'] : [];
    const boot = version >= 75 ? ['boot_mode', 'secure_boot'] : [];
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/states`, { version });
    assert.deepEqual(Object.keys(body).toSorted(), [...base, ...raid, ...boot].toSorted(), `1.${version}`);
  }
});

test('inspect wait is shown as inspecting before 1.39, in a node, lists and states', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  for (const [version, shown] of [
    [38, 'inspecting'],
    [39, 'inspect wait'],
  ] as const) {
    const one = await daemon.request('GET', `/v1/nodes/${uuid}`, { version });
    const list = await daemon.request('GET', '/v1/nodes', { version });
    const states = await daemon.request('GET', `/v1/nodes/${uuid}/states`, { version });
    for (const document of [one.body, list.body.nodes[0], states.body]) {
      assert.equal(document?.['provision_state'], shown);
    }
  }
});

test('a power action sets target_power_state until the machine has acted', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', name: 'n', driver_info: { lab_seconds: 5 } });
  daemon.services.db.nodes.update(uuid, { power_state: 'power off', last_error: 'old' });
  const body = { target: 'power on' };
  const answer = await daemon.request('PUT', '/v1/nodes/n/states/power', { body });
  assert.deepEqual([answer.status, answer.text], [202, '']);
  assert.equal(answer.headers.get('location'), 'http://ironic.test/v1/nodes/n/states');
  const accepted = await daemon.request('GET', '/v1/nodes/n');
  const { power_state, target_power_state, last_error, reservation } = accepted.body;
  assert.deepEqual(
    [power_state, target_power_state, last_error, reservation],
    ['power off', 'power on', null, 'lab-host'],
  );
  await daemon.clock.advance(5000);
  await daemon.idle();
  const done = await daemon.request('GET', '/v1/nodes/n');
  assert.deepEqual(
    [done.body['power_state'], done.body['target_power_state'], done.body['reservation']],
    ['power on', null, null],
  );
});

test('a failed power action clears target_power_state and sets last_error and history', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab', driver_info: { lab_stuck: 'yes' } });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target: 'power on' } });
  await daemon.idle();
  const node = daemon.node(uuid);
  assert.equal(node.target_power_state, null);
  assert.match(node.last_error ?? '', /Failed to change power state to "power on".*no answer/);
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/history/detail`);
  assert.equal(body.history[0]?.['event'], node.last_error);
});

test('an invalid power action is refused and changes nothing', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  const before = daemon.node(uuid);
  const cases: readonly (readonly [unknown, number, number?])[] = [
    [undefined, 400],
    [{}, 400],
    [{ target: 'on' }, 400],
    [{ target: null }, 400],
    [{ target: 5 }, 400],
    [{ target: 'power on', foo: 1 }, 400],
    [{ target: 'power on', timeout: 0 }, 400],
    [{ target: 'power on', timeout: 'x' }, 400],
    [{ target: 'power on', timeout: 1e30 }, 400],
    [{ target: 'soft power off' }, 400],
    [{ target: 'soft power off' }, 406, 26],
    [{ target: 'power on', timeout: 5 }, 406, 26],
  ];
  for (const [body, status, version = 115] of cases) {
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body, version });
    assert.equal(answer.status, status, `${JSON.stringify(body)} ${answer.text}`);
  }
  assert.equal(
    (await daemon.request('PUT', '/v1/nodes/x/states/power', { body: { target: 'power on' } })).status,
    404,
  );
  assert.deepEqual(daemon.node(uuid), before);
});

test('power cannot change during cleaning, and disable_power_off refuses power off', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ disable_power_off: true });
  const put = async (target: string) =>
    (await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target } })).status;
  assert.equal(await put('power off'), 409);
  assert.equal(await put('soft power off'), 409);
  assert.equal(await put('rebooting'), 202);
  await daemon.idle();
  for (const provision_state of ['cleaning', 'clean wait'] as const) {
    daemon.services.db.nodes.update(uuid, { provision_state });
    assert.equal(await put('power on'), 400, provision_state);
  }
});

test('arguments come from JSON, a form or the query, and the body overrides the query', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}/maintenance`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const ways = [
    [`${path}?reason=query`, {}, 'query'],
    [path, { body: { reason: 'json' } }, 'json'],
    [path, { body: 'reason=a+form', headers: form }, 'a form'],
    [`${path}?reason=query`, { body: { reason: 'json' } }, 'json'],
    [path, { body: '{"reason":"j"}', headers: { 'content-type': 'Application/JSON; charset=utf-8' } }, 'j'],
    [path, { body: '' }, null],
    [path, { body: '["not an object"]' }, null],
    [path, { body: '{"reason":"ignored"}', headers: { 'content-type': 'text/plain' } }, null],
  ] as const;
  for (const [target, options, reason] of ways) {
    const answer = await daemon.request('PUT', target, options);
    assert.equal(answer.status, 202, answer.text);
    assert.equal(daemon.node(uuid).maintenance_reason, reason, JSON.stringify(options));
  }
  for (const body of ['{"__proto__":{"reason":"x"}}', '{"constructor":1}', '{"foo":1}']) {
    const answer = await daemon.request('PUT', path, { body });
    assert.equal(answer.status, 400, body);
    assert.match(answer.fault, /Unexpected arguments/);
  }
});

test('an argument that a query or form repeats is refused, and nothing changes', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const before = daemon.node(uuid);
  const path = `/v1/nodes/${uuid}/states/power`;
  const target = 'target=power+on&target=power+off';
  const form = { body: target, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const vendor = `/v1/nodes/${uuid}/vendor_passthru?method=a&method=b`;
  for (const answer of [
    await daemon.request('PUT', `${path}?${target}`),
    await daemon.request('PUT', path, form),
    await daemon.request('POST', vendor),
  ]) {
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.fault, /(target|method): it is given more than once/);
  }
  assert.deepEqual(daemon.node(uuid), before);
});
