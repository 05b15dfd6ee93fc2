import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';

const [SEEN, IGNORED] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b'] as const;

test('`node unknown` lists machines that are not nodes, and tells which of them are ignored', async (t) => {
  const { url, services } = await startListening(t, {});
  for (const mac of [SEEN, IGNORED])
    services.timeline.record({ mac, hop: 'dhcp', text: 'asked for an address' });
  await fetch(`${url}/v1/unknown_machines/${IGNORED}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"ignored":true}',
  });
  const { code, out } = await runProcess(url, ['node', 'unknown']);
  assert.equal(code, 0);
  const [head, ...rows] = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(head, ['machine', 'last_seen', 'events', 'last_event', 'ignored']);
  assert.deepEqual(rows.map(([machine, , ...others]) => [machine, ...others].join(' ')).toSorted(), [
    `${SEEN} 1 asked for an address false`,
    `${IGNORED} 1 asked for an address true`,
  ]);
  const json = JSON.parse((await runProcess(url, ['node', 'unknown', '--json'])).out) as {
    machine: string;
  }[];
  assert.deepEqual(json.map(({ machine }) => machine).toSorted(), [SEEN, IGNORED]);
});
