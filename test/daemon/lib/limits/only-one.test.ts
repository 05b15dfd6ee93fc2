import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOne } from '../../../../daemon/lib/limits/only-one.ts';

test('a second lock for the same work is refused until the first is released; other work is not', async () => {
  const what = `a test in ${'a long folder '.repeat(20)}${process.pid}`;
  {
    using _ = await onlyOne(what, 'somebody does it');
    await assert.rejects(onlyOne(what, 'somebody does it'), { message: 'somebody does it' });
    (await onlyOne(`${what} and more`, 'somebody does it'))[Symbol.dispose]();
  }
  using _ = await onlyOne(what, 'somebody does it');
});
