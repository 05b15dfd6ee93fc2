import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitConcurrency } from '../../../../daemon/lib/limits/limit-concurrency.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('work starts in order of arrival, and no more of it runs at once than the limit allows', async () => {
  const limited = limitConcurrency(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const all = [1, 2, 3, 4].map((number) =>
    limited(async () => {
      started.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      return number;
    }),
  );
  await turn();
  assert.deepEqual(started, [1, 2]);
  ends.shift()?.();
  await turn();
  assert.deepEqual(started, [1, 2, 3]);
  while (ends.length > 0) {
    ends.shift()?.();
    await turn();
  }
  assert.deepEqual(await Promise.all(all), [1, 2, 3, 4]);
});

test('work that fails makes room for the next', async () => {
  const limited = limitConcurrency(1);
  await assert.rejects(
    limited(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await limited(() => Promise.resolve('yes')), 'yes');
});
