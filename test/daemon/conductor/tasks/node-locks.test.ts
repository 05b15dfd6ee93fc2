import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeLocks } from '../../../../daemon/conductor/tasks/node-locks.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';

async function turn(locks: NodeLocks, work: () => void): Promise<void> {
  const release = await locks.acquire('n', 1000);
  work();
  await settled();
  release();
}

test('a lock has one holder and passes to waiters in order of arrival', async () => {
  const locks = new NodeLocks(fakeClock(), 'host');
  const order: string[] = [];
  const turns: Promise<void>[] = [];
  const first = locks.tryAcquire('n');
  assert.equal(locks.holderOf('n'), 'host');
  assert.equal(locks.tryAcquire('n'), undefined);
  for (const name of ['a', 'b', 'c']) {
    turns.push(turn(locks, () => order.push(name)));
  }
  first?.();
  await Promise.all(turns);
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.equal(locks.holderOf('n'), null);
});

test('a waiter that times out is rejected and never acquires the lock', async () => {
  const clock = fakeClock();
  const locks = new NodeLocks(clock, 'host');
  const first = locks.tryAcquire('n');
  const impatient = locks.acquire('n', 1000);
  const refused = assert.rejects(impatient, /Node n is locked by host host/);
  const patient = locks.acquire('n', 5000);
  await clock.advance(1000);
  await refused;
  first?.();
  (await patient)();
  assert.equal(locks.holderOf('n'), null);
  assert.equal(clock.pending, 0);
});

test('a second release has no effect on the next holder, and each node has its own lock', async () => {
  const locks = new NodeLocks(fakeClock(), 'host');
  const first = locks.tryAcquire('n');
  const next = locks.acquire('n', 1000);
  first?.();
  const second = await next;
  first?.();
  assert.equal(locks.holderOf('n'), 'host');
  assert.notEqual(locks.tryAcquire('m'), undefined);
  second();
  assert.equal(locks.holderOf('n'), null);
});

test('a request waits a minute for work that is ending, and no longer than its patience for the work after it', async () => {
  const clock = fakeClock();
  const locks = new NodeLocks(clock, 'host');
  const ending = locks.tryAcquire('n');
  locks.setEnding('n', true);
  const next = locks.acquire('n', 1000);
  const refused = assert.rejects(locks.acquire('n', 0), /Node n is locked/);
  await clock.advance(59_999);
  ending?.();
  const release = await next;
  const impatient = assert.rejects(locks.acquire('n', 1000), /Node n is locked/);
  await clock.advance(1000);
  await Promise.all([refused, impatient]);
  release();
  assert.equal(locks.holderOf('n'), null);
});
