import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type TakeInProgress, TakeInQueue } from '../../../../daemon/conductor/take-in/queue.ts';

interface Started {
  readonly machine: string;
  readonly retry: boolean;
  readonly end: (outcome: TakeInProgress) => void;
}

function recordingQueue(places: number) {
  const started: Started[] = [];
  const queue = new TakeInQueue();
  const open = () =>
    queue.open(places, (machine, retry) => {
      const { promise, resolve } = Promise.withResolvers<TakeInProgress>();
      started.push({ machine, retry, end: resolve });
      return promise;
    });
  const names = () => started.map(({ machine }) => machine);
  const end = async (at: number, outcome: TakeInProgress) => {
    started[at]?.end(outcome);
    await setImmediate();
  };
  return { queue, started, names, open, end };
}

test('no more machines than places are taken in; one that works in the background keeps its place', async () => {
  const { queue, names, open, end } = recordingQueue(2);
  open();
  for (const machine of ['a', 'b', 'c']) queue.wake(machine);
  assert.deepEqual(names(), ['a', 'b']);
  await end(0, 'goes on');
  assert.deepEqual(names(), ['a', 'b'], 'a keeps its place');
  await end(1, 'ended');
  assert.deepEqual(names(), ['a', 'b', 'c']);
  queue.wake('a');
  assert.deepEqual(names(), ['a', 'b', 'c', 'a'], 'a goes on at once, because it has a place');
});

test('a machine that is woken while it is advanced is advanced once more, with the wish of the operator', async () => {
  const { queue, started, open, end } = recordingQueue(1);
  open();
  queue.wake('a');
  queue.wake('a', true);
  queue.wake('a');
  assert.equal(started.length, 1);
  await end(0, 'goes on');
  assert.deepEqual(
    started.map(({ retry }) => retry),
    [false, true],
  );
  await end(1, 'ended');
  assert.equal(started.length, 2);
});

test('machines that are woken before the queue opens are advanced then, and none after it is closed', async () => {
  const { queue, names, open, end } = recordingQueue(1);
  queue.wake('a');
  assert.deepEqual(names(), []);
  open();
  assert.deepEqual(names(), ['a']);
  const closed = queue.close();
  queue.wake('b');
  await end(0, 'ended');
  await closed;
  assert.deepEqual(names(), ['a']);
});
