import assert from 'node:assert/strict';
import test from 'node:test';
import { createBmcQueues } from '../../../../daemon/conductor/bmcs/bmc-queues.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';
import { fakeLogger } from '../../../fakes/task.ts';

test('as many operations run at once as `parallel` allows, and the others wait their turn', async () => {
  const queues = createBmcQueues({ clock: fakeClock(0), log: fakeLogger(), ended: () => undefined });
  const options = {
    node: 'node-1',
    urgent: true,
    deadline: 60_000,
    parallel: 2,
    signal: new AbortController().signal,
  };
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const runs = gates.map(({ promise }, index) =>
    queues.run('https://192.0.2.1', options, async () => {
      begun.push(index);
      await promise;
    }),
  );
  await settled();
  assert.deepEqual(begun, [0, 1]);
  gates[1]?.resolve();
  await settled();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const { resolve } of gates) resolve();
  await Promise.all(runs);
  assert.deepEqual(begun, [0, 1, 2, 3]);
});
