import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as always, property, string } from 'fast-check';
import { parse } from 'yaml';
import { yamlText } from '../../../../daemon/lib/files/yaml-text.ts';
import { visibleText } from '../../../../daemon/lib/plain-text.ts';

test('what a terminal could obey is an escape in a quoted text', () => {
  assert.equal(
    yamlText({ error: 'no\x9b31m\u202e disk', plain: 'näher' }),
    'error: "no\\u009b31m\\u202e disk"\nplain: näher\n',
  );
});

test('programs read the same value, whatever the texts and keys are', () => {
  always(
    property(string({ unit: 'binary' }), string(), (text, other) => {
      const value = { [text]: other, [`key ${other}`]: [text, `${other}\n\x1b${text}\n${other}`] };
      const written = yamlText(value);
      assert.equal(visibleText(written), written);
      assert.deepEqual(parse(written), value);
    }),
  );
});
