import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanOf } from '../../../daemon/lib/words.ts';

test('twelve words are booleans, in upper, lower or mixed case, and no other text is', () => {
  const values: readonly (readonly [boolean | undefined, readonly string[]])[] = [
    [true, ['1', 't', 'True', 'ON', 'y', 'yes']],
    [false, ['0', 'f', 'FALSE', 'Off', 'n', 'no']],
    [undefined, ['', '2', 'tr', ' true', 'true ', 'yess', 'null', 'constructor']],
  ];
  for (const [value, texts] of values) for (const text of texts) assert.equal(booleanOf(text), value, text);
});
