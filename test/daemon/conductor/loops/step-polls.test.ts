import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStepping, step } from '../../../fakes/stepping-session.ts';

const clean_steps = [step('bios.flash'), step('bios.factory_reset')];

test('a step that goes on in the BMC is asked for its end at its interval, and nobody holds the node meanwhile', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { check: ['wait', 'wait', 'done'] } });
  await daemon.verb(node, 'clean', { clean_steps });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.equal(daemon.services.locks.holderOf(node), null);
  await daemon.clock.advance(59_000);
  assert.deepEqual(daemon.notes(node), ['flash', 'check', 'check']);
  await daemon.clock.advance(1000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['flash', 'check', 'check', 'check', 'factory_reset']);
});

test('a step that is asked for its end may go on for longer than the timeout', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { check: Array(200).fill('wait') } });
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await daemon.clock.advance(3_600_000);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await daemon.clock.advance(600_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('an answer that the step failed ends the flow', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { check: ['wait', 'bad image'] } });
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await daemon.clock.advance(40_000);
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.equal(daemon.node(node).last_error, 'Cleaning failed: Step bios.flash failed: bad image');
  assert.equal(daemon.node(node).fault, 'clean failure');
});

test('a locked node is asked a moment later, one in maintenance when it is out of it', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  const release = daemon.services.locks.tryAcquire(node);
  await daemon.clock.advance(20_000);
  assert.deepEqual(daemon.notes(node), ['flash']);
  release?.();
  daemon.services.db.nodes.update(node, { maintenance: true });
  await daemon.clock.advance(60_000);
  assert.deepEqual(daemon.notes(node), ['flash']);
  daemon.services.db.nodes.update(node, { maintenance: false });
  await daemon.clock.advance(10_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});
