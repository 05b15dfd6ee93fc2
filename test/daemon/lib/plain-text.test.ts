import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as always, property, string } from 'fast-check';
import { plainText, quotedText, visibleLine, visibleText } from '../../../daemon/lib/plain-text.ts';

test('colours, cursor movements, titles and control characters are removed', () => {
  assert.equal(plainText('\x1b[1;31mlogin:\x1b[0m root\r\n'), 'login: root\n');
  assert.equal(plainText('\x1b]0;a title\x07text'), 'text');
  assert.equal(plainText('\x1b(Bplain\x1bMup\x07\x08'), 'plainup');
  assert.equal(plainText('tab\there, näher €'), 'tab\there, näher €');
  assert.equal(plainText('cut \x1b[12'), 'cut ');
  assert.equal(plainText('\x9b31mred\x85\x7f\xa0'), '31mred\xa0');
});

test('the result of plainText contains no escape character', () => {
  always(property(string(), string(), (one, other) => !plainText(`${one}\x1b${other}`).includes('\x1b')));
});

test('a quoted text has no character that a terminal could obey, and JSON.parse restores the original', () => {
  assert.equal(quotedText('a\x9b31m"\n\u202e'), '"a\\u009b31m\\"\\n\\u202e"');
  always(property(string({ unit: 'binary' }), (text) => JSON.parse(quotedText(text)) === text));
});

test('a visible text keeps its lines and letters; all that a terminal could obey is an escape', () => {
  assert.equal(
    visibleText('a\tb\r\nnäher €\x1b[2J\x9b31m\u202e\r\x07\x7f'),
    'a\tb\r\nnäher €\\u001b[2J\\u009b31m\\u202e\\u000d\\u0007\\u007f',
  );
  assert.equal(visibleLine('a\tb\r\nc\x1b'), 'a\\tb\\r\\nc\\u001b');
  always(
    property(string({ unit: 'binary' }), (text) => visibleText(visibleText(text)) === visibleText(text)),
  );
});

test('JSON with visible texts has the same value', () => {
  always(
    property(string({ unit: 'binary' }), (text) => {
      const value = { [text]: text };
      assert.deepEqual(JSON.parse(visibleText(JSON.stringify(value, null, 2))), value);
    }),
  );
});
