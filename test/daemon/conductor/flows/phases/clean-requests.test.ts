import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

test('max_concurrent_clean limits manual cleaning but not provide', async (t) => {
  const daemon = await startStepping(t, { ini: 'max_concurrent_clean = 2\n' });
  const clean_steps = [step('bios.factory_reset')];
  const [first, second, third] = [
    await daemon.stepping('manageable', { driver_info: { factory_reset: 1000 } }),
    await daemon.stepping('deleting'),
    await daemon.stepping('manageable'),
  ];
  assert.equal((await daemon.verb(first, 'clean', { clean_steps })).status, 202);
  const refused = await daemon.verb(third, 'clean', { clean_steps });
  assert.equal(refused.status, 503);
  assert.match(refused.fault, /2 such operations are already running.*max_concurrent_clean/);
  assert.equal(daemon.node(third).provision_state, 'manageable');
  // automated cleaning is not limited
  assert.equal((await daemon.verb(third, 'provide')).status, 202);
  daemon.services.db.nodes.update(second, { provision_state: 'error' });
  await daemon.clock.advance(1000);
  await daemon.idle();
  assert.equal((await daemon.verb(first, 'clean', { clean_steps })).status, 202);
});

test('manual cleaning is rejected in maintenance', async (t) => {
  const daemon = await startStepping(t);
  const clean_steps = [step('bios.factory_reset')];
  const node = await daemon.stepping('manageable', { maintenance: true });
  const inMaintenance = await daemon.verb(node, 'clean', { clean_steps });
  assert.deepEqual([inMaintenance.status, daemon.node(node).provision_state], [400, 'manageable']);
  assert.match(inMaintenance.fault, /maintenance/);
});

test('only one of several concurrent cleaning requests is accepted', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { factory_reset: 5000 } });
  const clean_steps = [step('bios.factory_reset')];
  const answers = await Promise.all([
    daemon.verb(node, 'clean', { clean_steps }),
    daemon.verb(node, 'provide'),
    daemon.verb(node, 'clean', { clean_steps }),
  ]);
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['202', '409', '409']);
  await daemon.clock.advance(5000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['factory_reset']);
});
