import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanOf } from '../../../daemon/lib/boolean-of.ts';

test('words in any case, digits and booleans stand for true and false', () => {
  for (const word of [true, 1, '1', 't', 'True', 'ON', 'y', 'yes'])
    assert.equal(booleanOf(word), true, `${word}`);
  for (const word of [false, 0, '0', 'f', 'FALSE', 'off', 'n', 'No'])
    assert.equal(booleanOf(word), false, `${word}`);
  for (const word of ['', ' true', 'perhaps', 2, null, {}])
    assert.equal(booleanOf(word), undefined, JSON.stringify(word));
});
