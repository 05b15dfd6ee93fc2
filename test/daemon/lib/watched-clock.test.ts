import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedClock } from '../../../daemon/lib/watched-clock.ts';
import { fakeClock } from '../../fakes/clock.ts';

const DAY = 86_400_000;

function setUp(start?: number) {
  const clock = fakeClock(start);
  const jumps: number[] = [];
  return { clock, jumps, watched: watchedClock(clock, (milliseconds) => void jumps.push(milliseconds)) };
}

for (const jump of [DAY, -DAY, 56 * 365 * DAY])
  test(`the age of a stamp ignores a clock jump of ${jump / DAY} days`, async () => {
    const { clock, jumps, watched } = setUp();
    const before = watched.now();
    await clock.advance(1000);
    const right = watched.now();
    clock.set(jump);
    const after = watched.now();
    await clock.advance(5000);
    assert.deepEqual(
      [before, right, after].map((stamp) => watched.age(stamp)),
      [6000, 5000, 5000],
    );
    clock.set(-jump);
    await clock.advance(500);
    assert.deepEqual(
      [before, right, after].map((stamp) => watched.age(stamp)),
      [6500, 5500, 5500],
    );
    assert.deepEqual(jumps, [jump, -jump]);
  });

test('small clock corrections are not reported as jumps', async () => {
  const { clock, jumps, watched } = setUp();
  const stamp = watched.now();
  for (let step = 0; step < 10; step += 1) {
    clock.set(-400);
    await clock.advance(1000);
    watched.now();
  }
  assert.equal(watched.age(stamp), 6000);
  assert.deepEqual(jumps, []);
});

test('a stamp from an earlier run ages on from its age at the start of this run, or from 0 if that is negative', async () => {
  const start = Date.UTC(2026, 0, 1);
  const { clock, watched } = setUp(start);
  clock.set(30 * DAY);
  await clock.advance(1000);
  assert.equal(watched.age(start - 60_000), 61_000);
  assert.equal(watched.age(start + DAY), 1000);
  assert.equal(watched.age(Number.NaN), 1000);
});

test('on a board that boots in 1970, a stored stamp ages from the start of the run, even after the clock is set', async () => {
  const { clock, watched } = setUp(5000);
  const stored = Date.UTC(2026, 0, 1);
  await clock.advance(2000);
  assert.equal(watched.age(stored), 2000);
  clock.set(stored + 100_000);
  await clock.advance(2000);
  assert.equal(watched.age(stored), 4000);
});

test('a stamp after which the clock has jumped a hundred times is treated as one from an earlier run', async () => {
  const { clock, watched } = setUp();
  const stamp = watched.now();
  for (let jump = 0; jump < 100; jump += 1) {
    clock.set(DAY);
    await clock.advance(10);
    watched.now();
  }
  assert.equal(watched.age(stamp), 1000);
});
