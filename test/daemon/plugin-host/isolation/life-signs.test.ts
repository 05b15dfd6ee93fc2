import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LifeSigns } from '../../../../daemon/plugin-host/isolation/life-signs.ts';
import { fakeClock } from '../../../fakes/clock.ts';

interface Habits {
  /** The fraction of the time in which the process computes. */
  readonly computes: number;
  /** Whether it sleeps otherwise; if not, other programs have the processor. */
  readonly sleeps: boolean;
}

/** A process that has not answered `waiting` questions of the daemon. */
function watched(habits: Habits, waiting: number) {
  const clock = fakeClock();
  const process = { ...habits, pings: 0, blocked: undefined as string | undefined };
  const peer = {
    waiting,
    isPaused: false,
    ask() {
      process.pings += 1;
      peer.waiting += 1;
      return new Promise<never>(() => undefined);
    },
  };
  let [computed, last] = [0, 0];
  const signs = new LifeSigns({
    clock,
    peer,
    longestComputing: 5000,
    read() {
      const at = clock.monotonic();
      computed += (at - last) * process.computes;
      last = at;
      return { at, computed, isAsleep: process.sleeps };
    },
    blocked: (reason) => (process.blocked = reason),
  });
  const answer = () => {
    peer.waiting = waiting;
    signs.heard();
  };
  return { clock, process, peer, answer };
}

const computing = { computes: 1, sleeps: false };
const starved = { computes: 0.02, sleeps: false };
const asleep = { computes: 0, sleeps: true };

test('a process that sends nothing is reported as blocked when it has computed for too long, or slept for ten seconds', async () => {
  for (const [habits, longest, reason] of [
    [computing, 5000, /^it has computed for 5 s without a pause, as an endless loop does, and was ended/],
    [asleep, 10_000, /^it has blocked its process for 10 s, as a system call that waits does, and was ended/],
  ] as const) {
    const { clock, process } = watched(habits, 1);
    await clock.advance(longest - 1);
    assert.equal(process.blocked, undefined);
    await clock.advance(1);
    assert.match(process.blocked ?? '', reason);
  }
});

test('time in which other programs have the processor does not count', async () => {
  const { clock, process } = watched(starved, 1);
  await clock.advance(249_999);
  assert.equal(process.blocked, undefined);
  await clock.advance(1001);
  assert.match(process.blocked ?? '', /computed for 5 s/);
});

test('a process that computes and answers is not reported as blocked', async () => {
  const { clock, process, answer } = watched(computing, 1);
  for (let times = 0; times < 100; times += 1) {
    await clock.advance(4000);
    answer();
  }
  assert.equal(process.blocked, undefined);
  assert.ok(process.pings > 0);
});

test('a process at rest gets no pings, and one that computes while nobody waits for it must answer them', async () => {
  const rest = watched(asleep, 0);
  await rest.clock.advance(3_600_000);
  assert.equal(rest.process.pings, 0);
  Object.assign(rest.process, computing);
  await rest.clock.advance(20_000);
  assert.match(rest.process.blocked ?? '', /computed for 5 s/);
  const busy = watched(computing, 0);
  for (let times = 0; times < 100; times += 1) {
    await busy.clock.advance(3000);
    if (busy.peer.waiting > 0) busy.answer();
  }
  assert.ok(busy.process.pings > 0);
  assert.equal(busy.process.blocked, undefined);
});

test('a process from which the daemon does not read at the moment is not reported as blocked', async () => {
  const { clock, process, peer } = watched(computing, 1);
  peer.isPaused = true;
  await clock.advance(120_000);
  assert.equal(process.blocked, undefined);
});
