import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStepping, step } from '../../../fakes/stepping-session.ts';

test('manual cleaning runs the steps as they are listed and comes back to manageable', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const settings = [{ name: 'Turbo', value: 'on' }];
  const clean_steps = [
    step('bios.apply', { settings }),
    step('bios.factory_reset'),
    step('bios.apply', { settings }),
  ];
  const answer = await daemon.verb(node, 'clean', { clean_steps });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  const applied = `apply ${JSON.stringify({ settings })}`;
  assert.deepEqual(daemon.notes(node), [applied, 'factory_reset', applied]);
  assert.deepEqual(daemon.node(node).clean_step, {});
});

test('a fake node is cleaned on its way to available', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  assert.equal((await daemon.verb(uuid, 'provide')).status, 202);
  assert.deepEqual(await daemon.state(uuid), ['available', null]);
});
