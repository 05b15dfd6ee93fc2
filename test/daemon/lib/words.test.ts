import assert from 'node:assert/strict';
import { test } from 'node:test';
import { booleanOf } from '../../../daemon/lib/words.ts';

test('twelve words in any case are booleans, and no other text is', () => {
  const are = (flag: boolean | undefined, texts: readonly string[]) => {
    for (const text of texts) assert.equal(booleanOf(text), flag, text);
  };
  are(true, ['1', 't', 'True', 'ON', 'y', 'yes']);
  are(false, ['0', 'f', 'FALSE', 'Off', 'n', 'no']);
  are(undefined, ['', '2', 'tr', ' true', 'true ', 'yess', 'null', 'constructor']);
});
