// UUIDs in every spelling that clients use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseUuid } from '../../../daemon/lib/uuid.ts';

const uuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';

test('upper case, missing hyphens, braces and the urn form parse to the same UUID', () => {
  const spellings = [
    uuid,
    uuid.toUpperCase(),
    uuid.replaceAll('-', ''),
    `{${uuid}}`,
    `urn:uuid:${uuid}`,
    `URN:UUID:${uuid.toUpperCase()}`,
  ];
  for (const text of spellings) assert.equal(parseUuid(text), uuid, text);
});

test('a malformed UUID is rejected', () => {
  for (const text of [
    '',
    'rack1-u7',
    uuid.slice(1),
    `${uuid}0`,
    `{${uuid}`,
    ` ${uuid}`,
    `${uuid}\n`,
    'g'.repeat(32),
  ])
    assert.equal(parseUuid(text), undefined, JSON.stringify(text));
});

test('any UUID parses with or without hyphens and in either case', () => {
  fc.assert(
    fc.property(fc.uuid(), (text) => {
      assert.equal(parseUuid(text), text);
      assert.equal(parseUuid(text.replaceAll('-', '').toUpperCase()), text);
    }),
  );
});

test('any text parses to a canonical UUID or undefined', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseUuid(text);
      assert.ok(parsed === undefined || parseUuid(parsed) === parsed);
    }),
  );
});
