import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLate, usualSeconds } from '../../../daemon/model/usual-time.ts';

describe('the usual time of work', () => {
  it('is the median, which extreme times hardly move', () => {
    assert.equal(usualSeconds([10, 9000, 12]), 12);
    assert.equal(usualSeconds([10, 11, 12, 9000, 1]), 11);
  });

  it('is unknown until three times are known', () => {
    assert.equal(usualSeconds([10, 11]), undefined);
  });

  it('is the measure of late work, which takes more than twice as long and more than half a minute longer', () => {
    assert.deepEqual(
      [180, 200, 201].map((age) => isLate(age, 100)),
      [false, false, true],
    );
    assert.deepEqual(
      [10, 33, 34].map((age) => isLate(age, 3)),
      [false, false, true],
    );
  });
});
