import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStepping } from '../../../../fakes/machines/stepping-session.ts';

test('verification runs the steps with a priority, highest first', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('enroll');
  assert.equal((await daemon.verb(node, 'manage')).status, 202);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['check_clock', 'set_clock']);
  assert.deepEqual(Object.keys(daemon.node(node).driver_internal_info), ['notes']);
});

test('verify_step_priority_override replaces the priorities of verify steps', async (t) => {
  const daemon = await startStepping(t, {
    ini: 'verify_step_priority_override = management.check_clock:0,management.clear_jobs:5,bios.factory_reset:5\n',
  });
  const node = await daemon.stepping('enroll');
  await daemon.verb(node, 'manage');
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  // equal priorities: management before bios, management in declared order
  assert.deepEqual(daemon.notes(node), ['set_clock', 'clear_jobs', 'factory_reset']);
});

test('a failed or asynchronous verify step leaves the node in enroll with the reason', async (t) => {
  const daemon = await startStepping(t);
  for (const [outcome, reason] of [
    [
      'the clock is slow',
      /^Failed to verify the node: Step management\.check_clock failed: the clock is slow$/,
    ],
    ['wait', /Step management\.check_clock failed: .*cannot take event wait in state "verifying"/],
  ] as const) {
    const node = await daemon.stepping('enroll', { driver_info: { check_clock: outcome } });
    await daemon.verb(node, 'manage');
    assert.deepEqual(await daemon.state(node), ['enroll', null]);
    assert.match(daemon.node(node).last_error ?? '', reason);
    assert.deepEqual(daemon.notes(node), ['check_clock']);
    assert.deepEqual(Object.keys(daemon.node(node).driver_internal_info), ['notes']);
  }
});
