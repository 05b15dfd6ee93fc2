import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, startBootHttpLab } from '../fakes/boot/boot-http.ts';
import { fuzzBootHttp, KERNEL, LIMITS, serveFuzzed } from './fuzz-boot-http.ts';

test('a damaged request gets served content, a refusal or the end of its connection', async (t) => {
  const lab = await startBootHttpLab(t, LIMITS);
  serveFuzzed(lab);
  const { statuses, strange } = await fuzzBootHttp(lab, 1000, 7);
  assert.deepEqual(strange, []);
  for (const status of ['200', '206', '400', '404', '405', '413'])
    assert.ok((statuses[status] ?? 0) > 0, JSON.stringify(statuses));
  assert.ok(!Object.keys(statuses).some((status) => status.startsWith('5')), JSON.stringify(statuses));
  assert.ok((await ask(lab.port, 'GET', '/kernel')).body.equals(KERNEL));
  assert.ok(!lab.events.some(({ text }) => text.includes('could not be answered')));
});
