import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, type SteppingSession } from '../../../../fakes/machines/stepping-session.ts';

const PASSWORD = 'hunter2-of-the-rack';

/** Returns a node in `rescue wait`, and the agent of that node. */
async function awaited(t: TestContext, daemon: SteppingSession, driver_info: object = {}) {
  const node = await daemon.stepping('active', { driver_info });
  const agent = await steppingAgent(t, daemon, node);
  const answer = await daemon.verb(node, 'rescue', { rescue_password: PASSWORD });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await daemon.state(node), ['rescue wait', 'rescue']);
  return { node, agent };
}

const passwordOf = (daemon: SteppingSession, node: string) =>
  Object.keys(daemon.node(node).instance_info).filter((key) => key.includes('password'));

test('the rescue password is stored as a hash and deleted as soon as the node is in the state rescue', async (t) => {
  for (const [algorithm, beginning] of [
    ['sha256', '$5$'],
    ['sha512', '$6$'],
  ] as const) {
    const daemon = await startStepping(t, { ini: `rescue_password_hash_algorithm = ${algorithm}\n` });
    const { node, agent } = await awaited(t, daemon);
    assert.deepEqual(daemon.notes(node), [`rescue ${beginning}`]);
    assert.deepEqual(passwordOf(daemon, node), ['hashed_rescue_password']);
    await agent.boot();
    await agent.beat();
    assert.deepEqual(await daemon.state(node), ['rescue', null]);
    assert.deepEqual(daemon.notes(node).slice(1), ['finish']);
    assert.deepEqual(passwordOf(daemon, node), []);
    assert.equal((await daemon.verb(node, 'unrescue')).status, 202);
    assert.deepEqual(await daemon.state(node), ['active', null]);
    assert.deepEqual(daemon.notes(node).at(-1), 'unrescue');
    assert.ok(!(daemon.log() + JSON.stringify(daemon.node(node))).includes(PASSWORD));
  }
});

test('a failed, aborted or timed-out rescue is cleaned up, and its password is deleted', async (t) => {
  const daemon = await startStepping(t);
  const cases = [
    [{ rescue: 'no media' }, async () => {}, /^Rescue failed: no media/],
    [{}, async (node: string) => void (await daemon.verb(node, 'abort')), /^Rescue was aborted by request/],
    [
      {},
      async () => daemon.clock.advance(1_920_000),
      /Nothing was heard for 1800 s \(\[conductor\] rescue_callback_timeout\).*in the rescue/,
    ],
  ] as const;
  for (const [driver_info, end, reason] of cases) {
    const node = await daemon.stepping('active', { driver_info });
    await daemon.verb(node, 'rescue', { rescue_password: PASSWORD });
    await daemon.idle();
    await end(node);
    assert.deepEqual(await daemon.state(node), ['rescue failed', 'rescue']);
    assert.match(daemon.node(node).last_error ?? '', reason);
    assert.deepEqual(passwordOf(daemon, node), []);
    assert.deepEqual(daemon.notes(node), ['rescue $5$', 'cleanUpRescue']);
    assert.equal(daemon.node(node).maintenance, false);
  }
});

test('a failed rescue clean-up puts the node into maintenance', async (t) => {
  const daemon = await startStepping(t);
  const { node } = await awaited(t, daemon, { cleanUpRescue: 'no way out' });
  await daemon.verb(node, 'abort');
  await daemon.idle();
  const { maintenance, maintenance_reason, fault, last_error } = daemon.node(node);
  assert.deepEqual([maintenance, fault], [true, 'rescue abort failure']);
  assert.match(
    maintenance_reason ?? '',
    /aborted by request\. Cleaning up after the rescue failed: no way out/,
  );
  assert.equal(last_error, maintenance_reason);
});

test('a failed unrescue can be repeated', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('rescue', { driver_info: { unrescue: ['no power', 'done'] } });
  await daemon.verb(node, 'unrescue');
  assert.deepEqual(await daemon.state(node), ['unrescue failed', 'active']);
  assert.match(daemon.node(node).last_error ?? '', /Failed to unrescue the node: no power/);
  await daemon.verb(node, 'unrescue');
  assert.deepEqual(await daemon.state(node), ['active', null]);
});

test('rescue requires a valid password and a driver with rescue support', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  for (const more of [{}, { rescue_password: ' ' }, { rescue_password: 'x'.repeat(257) }]) {
    const answer = await daemon.verb(node, 'rescue', more);
    assert.equal(answer.status, 400);
    assert.match(answer.fault, /rescue_password/);
    assert.ok(!answer.fault.includes('xxxx'));
  }
  const { uuid } = await daemon.createNode({ driver: 'manual-management' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
  const answer = await daemon.verb(uuid, 'rescue', { rescue_password: 'x' });
  assert.deepEqual([answer.status, daemon.node(uuid).provision_state], [400, 'active']);
  assert.match(
    answer.fault,
    new RegExp(
      `does not support rescue with rescue_interface no-rescue\\. Another one does: baremetal node maintenance set ${uuid}; baremetal node set ${uuid} --rescue-interface agent; baremetal node maintenance unset ${uuid}\\.$`,
    ),
  );
  // the commands work
  const change = [{ op: 'replace', path: '/rescue_interface', value: 'agent' }];
  const patch = () => daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: change });
  const refused = await patch();
  assert.equal(refused.status, 409);
  assert.match(refused.text, /state \\*"active\\*"; in maintenance it can/);
  await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`, { body: {} });
  assert.equal((await patch()).status, 200);
  await daemon.request('DELETE', `/v1/nodes/${uuid}/maintenance`);
  const able = await daemon.verb(uuid, 'rescue', { rescue_password: 'x' });
  assert.doesNotMatch(able.fault, /does not support rescue/);
});
