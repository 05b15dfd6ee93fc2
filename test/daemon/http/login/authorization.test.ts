import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseAuthorization } from '../../../../daemon/http/login/authorization.ts';
import { Fault } from '../../../../daemon/model/faults.ts';

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

test('user and password may be empty or non-ASCII, and a password may contain colons', () => {
  for (const [user, password] of [
    ['ann', 'secret'],
    ['ännchen', 'pässwörd ✓'],
    ['ann', ':a:b:'],
    ['', ''],
  ] as const)
    assert.deepEqual(parseAuthorization(basic(user, password)), { user, password });
  assert.deepEqual(parseAuthorization(`bAsIc   ${btoa('a:b')}  `), { user: 'a', password: 'b' });
});

test('credentials with control characters are refused', () => {
  for (const credentials of ['ann:secret\0secret', 'ann\0:secret', 'ann:sec\nret'])
    assert.throws(() => parseAuthorization(`Basic ${btoa(credentials)}`), {
      code: 'AuthenticationMalformed',
    });
});

test('credentials that are not UTF-8 are refused', () => {
  const latin1 = Buffer.from('ann:gr\u00fcn', 'latin1').toString('base64');
  assert.throws(() => parseAuthorization(`Basic ${latin1}`), { code: 'AuthenticationMalformed' });
});

test('any header yields credentials or one of three faults', () => {
  const faults = new Set(['AuthenticationRequired', 'AuthenticationMalformed', 'AuthenticationUnsupported']);
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String().map((token) => `Basic ${token}`),
    fc.string({ unit: 'binary' }).map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
  );
  fc.assert(
    fc.property(header, (authorization) => {
      try {
        assert.equal(typeof parseAuthorization(authorization).user, 'string');
      } catch (error) {
        assert.ok(error instanceof Fault && faults.has(error.code), String(error));
      }
    }),
  );
});

test('a header with a million spaces is refused in linear time', () => {
  const longest = `Basic a${' '.repeat(1_000_000)}b`;
  assert.throws(() => parseAuthorization(longest), { code: 'AuthenticationMalformed' });
});
