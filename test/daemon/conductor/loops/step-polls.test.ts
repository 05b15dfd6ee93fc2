import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterCrash, startStepping, step } from '../../../fakes/machines/stepping-session.ts';

const clean_steps = [step('bios.flash'), step('bios.factory_reset')];

test('an asynchronous BMC step is polled at its interval while the node is unlocked', async (t) => {
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

test('a polled step may run longer than the callback timeout', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { check: Array(200).fill('wait') } });
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await daemon.clock.advance(3_600_000);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await daemon.clock.advance(600_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('a poll that reports a failed step fails the cleaning', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { check: ['wait', 'bad image'] } });
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await daemon.clock.advance(40_000);
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.equal(daemon.node(node).last_error, 'Cleaning failed: Step bios.flash failed: bad image');
  assert.equal(daemon.node(node).fault, 'clean failure');
});

test('the step of a node that is locked or in maintenance is polled later', async (t) => {
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

test('a node in quarantine at the start of the daemon is released, and its step is polled again', async (t) => {
  const first = await startStepping(t);
  const node = await first.stepping('manageable', { driver_info: { check: ['wait', 'done'] } });
  await first.verb(node, 'clean', { clean_steps });
  await first.idle();
  first.services.db.quarantine.addAll('2026-01-01T00:00:00+00:00', 'quarantine: restored');
  const daemon = await afterCrash(t, first);
  await first.stop();
  await daemon.clock.advance(60_000);
  assert.deepEqual(daemon.notes(node), ['flash']);
  daemon.services.db.quarantine.remove(node);
  daemon.services.db.nodes.update(node, { maintenance: false });
  await daemon.clock.advance(660_000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});
