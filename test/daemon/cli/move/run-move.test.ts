import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlIn } from '../../../../daemon/cli/move/run-move.ts';

test('the URL of an Ironic has no user and no password, which the journal would keep', () => {
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
