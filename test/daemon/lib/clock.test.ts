// Sleeping, mostly on a clock that the test controls, and time stamps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, sleep, systemClock, timestamp } from '../../../daemon/lib/clock.ts';

interface Alarm {
  readonly milliseconds: number;
  readonly ring: () => void;
}

function clockByHand(): { readonly clock: Clock; readonly alarms: Set<Alarm> } {
  const alarms = new Set<Alarm>();
  const after = (milliseconds: number, ring: () => void) => {
    const alarm = { milliseconds, ring };
    alarms.add(alarm);
    return () => alarms.delete(alarm);
  };
  return { clock: { now: () => 0, monotonic: () => 0, after }, alarms };
}

test('sleep resolves when its alarm rings', async () => {
  const { clock, alarms } = clockByHand();
  let awake = false;
  const asleep = sleep(clock, 1500).then(() => (awake = true));
  const [alarm] = alarms;
  assert.equal(alarm?.milliseconds, 1500);
  await Promise.resolve();
  assert.equal(awake, false);
  alarm.ring();
  assert.equal(await asleep, true);
});

test('an abort rejects sleep with its reason and cancels the alarm', async () => {
  const { clock, alarms } = clockByHand();
  const stop = new AbortController();
  const asleep = sleep(clock, 1500, stop.signal);
  assert.equal(alarms.size, 1);
  stop.abort(new Error('shutting down'));
  await assert.rejects(asleep, /shutting down/);
  assert.equal(alarms.size, 0);
});

test('sleep rejects at once when the signal is already aborted', async () => {
  const { clock, alarms } = clockByHand();
  await assert.rejects(sleep(clock, 1500, AbortSignal.abort(new Error('too late'))), /too late/);
  assert.equal(alarms.size, 0);
});

test('an abort reason that is not an Error is wrapped in one', async () => {
  await assert.rejects(sleep(clockByHand().clock, 1, AbortSignal.abort('just so')), new Error('just so'));
});

test('an abort after sleep has ended has no effect', async () => {
  const { clock, alarms } = clockByHand();
  const stop = new AbortController();
  const asleep = sleep(clock, 1500, stop.signal);
  for (const { ring } of alarms) ring();
  await asleep;
  stop.abort(new Error('too late'));
  assert.equal(await asleep, undefined);
});

test('the system clock ends a sleep and does not ring a cancelled alarm', async () => {
  let rang = false;
  const cancel = systemClock.after(1, () => (rang = true));
  cancel();
  const keepAlive = setInterval(() => undefined, 1000);
  await sleep(systemClock, 5);
  clearInterval(keepAlive);
  assert.equal(rang, false);
});

test('a time is written in UTC with milliseconds and an explicit offset', () => {
  assert.equal(timestamp(0), '1970-01-01T00:00:00.000+00:00');
  assert.equal(timestamp(1_760_000_000_123), '2025-10-09T08:53:20.123+00:00');
});
