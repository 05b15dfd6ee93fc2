// The delays of the fake interfaces: their grammar, their distribution, their errors.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { delay, delayRange, drawDelay, parseDelay } from '../../../plugins/fake/delay.ts';
import { fakeTask } from '../../fakes/task.ts';

const powerDelay = (text: string) => fakeTask({ configuration: { fake: { power_delay: text } } });

test('a delay is a number of seconds or a range of two ascending numbers', () => {
  assert.deepEqual(parseDelay('0'), { minimum: 0, maximum: 0 });
  assert.deepEqual(parseDelay('1.5'), { minimum: 1.5, maximum: 1.5 });
  assert.deepEqual(parseDelay(' 1 , 5 '), { minimum: 1, maximum: 5 });
  assert.deepEqual(parseDelay('5,5'), { minimum: 5, maximum: 5 });
});

test('a delay that is malformed or longer than a day is parsed as undefined', () => {
  for (const text of ['', ',', '1,', 'a', '-1', '1e3', '1,2,3', '5,1', 'Infinity', '86401']) {
    assert.equal(parseDelay(text), undefined, text);
  }
});

test('parsing never throws and accepts only ranges within a day', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d., -]{0,12}$/)), (text) => {
      const range = parseDelay(text);
      if (range === undefined) return;
      assert.ok(range.minimum >= 0 && range.minimum <= range.maximum && range.maximum <= 86_400);
    }),
  );
});

test('drawn delays have a triangular distribution with its peak at the minimum', () => {
  const range = { minimum: 2, maximum: 10 };
  assert.equal(drawDelay(range, 0), 2);
  assert.equal(drawDelay(range, 0.75), 6);
  assert.ok(drawDelay(range, 0.999_999) > 9.98);
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(unit, (random) => {
      const seconds = drawDelay(range, random);
      assert.ok(seconds >= 2 && seconds <= 10);
      assert.equal(drawDelay({ minimum: 3, maximum: 3 }, random), 3);
    }),
  );
});

test('an operation sleeps for the delay of its interface type', async () => {
  const task = powerDelay('1.5');
  await delay(task, 'power');
  assert.deepEqual(task.done, ['sleep 1500']);
});

test('an invalid delay is reported with its option, its value and the expected format', () => {
  assert.throws(() => delayRange(powerDelay('soon'), 'power'), {
    code: 'Invalid',
    message: /\[fake\] power_delay is "soon": expected seconds from 0 to 86400/,
  });
});
