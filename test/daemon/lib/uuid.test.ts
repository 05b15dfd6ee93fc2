// UUIDs in every spelling that clients use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseUuid } from '../../../daemon/lib/uuid.ts';

const uuid = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';

test('upper case, missing hyphens, braces and the urn form are all the same UUID', () => {
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

test('a name is no UUID', () => {
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

test('every UUID is read from every spelling', () => {
  fc.assert(
    fc.property(fc.uuid(), (text) => {
      assert.equal(parseUuid(text), text);
      assert.equal(parseUuid(text.replaceAll('-', '').toUpperCase()), text);
    }),
  );
});

test('any text gives a canonical UUID or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseUuid(text);
      assert.ok(parsed === undefined || parseUuid(parsed) === parsed);
    }),
  );
});
