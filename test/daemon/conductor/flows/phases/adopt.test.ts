import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStepping } from '../../../../fakes/machines/stepping-session.ts';

test('adopt makes a node active without deploying it', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { takeOver: 1000 } });
  assert.equal((await daemon.verb(node, 'adopt')).status, 202);
  assert.deepEqual(daemon.node(node).provision_state, 'adopting');
  await daemon.clock.advance(1000);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node), ['takeOver']);
  assert.equal(daemon.node(node).power_state, 'power on');
});

test('a node in adopt failed can be adopted again or managed', async (t) => {
  const daemon = await startStepping(t);
  for (const [verb, state] of [
    ['adopt', 'active'],
    ['manage', 'manageable'],
  ] as const) {
    const driver_info = { takeOver: ['no such image', 'done'] };
    const node = await daemon.stepping('manageable', { driver_info });
    await daemon.verb(node, 'adopt');
    assert.deepEqual(await daemon.state(node), ['adopt failed', 'active']);
    const { last_error, power_state } = daemon.node(node);
    assert.match(last_error ?? '', /Failed to adopt the node: no such image/);
    assert.equal(power_state, null);
    assert.equal((await daemon.verb(node, verb)).status, 202);
    assert.deepEqual(await daemon.state(node), [state, null]);
  }
});
