// The digests come from libxcrypt, an independent implementation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from '../../../../daemon/http/login/password-worker.ts';

const LONG = '$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i';
const known = [
  ['rasmuslerdorf', '$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq'],
  ['correct horse', '$2b$04$ABCDEFGHIJKLMNOPQRSTUu6C6jEMz4jEJoFRTrM10b9xHpc.SH9E6'],
  ['pässwörd', '$2a$04$0123456789abcdefghijku3kbt3Y/qFXQUJOjKMA1wiJt7RUESwWa'],
] as const;

test('passwords match their digests for every prefix, including non-ASCII passwords', () => {
  for (const [password, digest] of known) assert.equal(matches({ password, digest }), true, password);
});

test('a password does not match the digest of another', () => {
  for (const [password] of known)
    for (const [other, digest] of known)
      assert.equal(matches({ password, digest }), password === other, `${password} ${digest}`);
});

test('only the first 72 bytes of a password are compared', () => {
  assert.equal(matches({ password: 'x'.repeat(80), digest: LONG }), true);
  assert.equal(matches({ password: 'x'.repeat(71), digest: LONG }), false);
});
