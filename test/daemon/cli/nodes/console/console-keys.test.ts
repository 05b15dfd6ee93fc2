import assert from 'node:assert/strict';
import test from 'node:test';
import { consoleKeys } from '../../../../../daemon/cli/nodes/console/console-keys.ts';

/** What the typed pieces become: text for the machine, and commands in angle brackets. */
function typed(...pieces: readonly string[]): string {
  const take = consoleKeys();
  return pieces
    .flatMap((piece) => take(Buffer.from(piece, 'latin1')))
    .map((each) => (each.kind === 'bytes' ? each.bytes.toString('latin1') : `<${each.kind}>`))
    .join('');
}

test('~. detaches and ~? helps at the start of a line only', () => {
  assert.equal(typed('~.'), '<detach>');
  assert.equal(typed('ls\r~.'), 'ls\r<detach>');
  assert.equal(typed('ls\n~?ls'), 'ls\n<help>ls');
  assert.equal(typed('cd ~.', 'a~?'), 'cd ~.a~?');
});

test('~~ types one ~, and a ~ before a key that makes no command is typed with that key', () => {
  assert.equal(typed('~~.'), '~.');
  assert.equal(typed('~~~.'), '~~.');
  assert.equal(typed('~/bin\r'), '~/bin\r');
  assert.equal(typed('~\r~.'), '~\r<detach>');
});

test('a command may arrive in pieces, and another may follow ~? at once', () => {
  assert.equal(typed('\r', '~', '.'), '\r<detach>');
  assert.equal(typed('~', '?', '~', '.'), '<help><detach>');
});

test('bytes that are no text, and keys that send several bytes, pass unchanged', () => {
  const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');
  assert.equal(typed(bytes), bytes);
  assert.equal(typed('\x1b[A\x03\x1c'), '\x1b[A\x03\x1c');
});
