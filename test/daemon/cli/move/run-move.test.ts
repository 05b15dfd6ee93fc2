import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlIn } from '../../../../daemon/cli/move/run-move.ts';

test('the URL of an Ironic is refused if it holds a user or a password, or is not an HTTP URL', () => {
  assert.equal(urlIn('http://192.0.2.1:6385'), 'http://192.0.2.1:6385');
  for (const text of [
    'http://admin@h',
    'http://admin:secret@h',
    'http://:secret@h',
    'ftp://h',
    'h',
    undefined,
  ])
    assert.throws(() => urlIn(text), /without user and password/, text);
});
