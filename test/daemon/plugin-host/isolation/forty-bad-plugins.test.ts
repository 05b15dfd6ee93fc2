// Forty plugins that do harm at once, each in its own way, beside 200 nodes of another driver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waysToHurt } from './reckless-plugin.ts';
import { quantile, underAttack } from './under-attack.ts';

test('nodes of another driver are served in full while forty plugins do harm, and no process outlives the daemon', async (t) => {
  assert.equal(new Set(waysToHurt).size, 40);
  const attacked = await underAttack(t, waysToHurt.length);
  const { daemon } = attacked;
  const { pid } = daemon;
  const rounds = 10;
  const { milliseconds, unexpected, harms } = await attacked.serve(200 * rounds);
  const times = [0.5, 0.99, 1].map((part) => quantile(milliseconds, part).toFixed(0));
  t.diagnostic(`${harms} harms; p50 ${times[0]} ms, p99 ${times[1]} ms, longest ${times[2]} ms`);
  assert.deepEqual(unexpected, []);
  assert.equal(daemon.pid, pid);
  assert.equal(daemon.log.filter(({ msg }) => msg === 'ready').length, 1);
  for (const number of [3, 13, 193]) {
    const node = await daemon.nodeWhen(`calm-${number}`, ({ reservation }) => reservation === null);
    assert.deepEqual(
      [node.power_state, node.last_error, node.provision_state],
      ['power off', null, 'enroll'],
    );
  }
  assert.deepEqual((await daemon.node('calm-1')).extra, { round: rounds - 1 });
  // a plugin's process may get the processor only now, when no client is served any longer
  const ended = new Set<unknown>();
  await daemon.logged(({ msg, plugin }) => {
    if (msg === 'the process of a plugin has ended') ended.add(plugin);
    return ended.size >= 10;
  });
  await attacked.stop();
});
