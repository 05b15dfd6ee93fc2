import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePatch, patchedFields } from '../../../../daemon/http/bodies/json-patch.ts';
import { nodeFields } from '../../../../daemon/model/records/node.ts';

test('a patch of fields that share one empty object changes each field separately', () => {
  const empty = Object.freeze({});
  const changes = patchedFields(
    { extra: empty, driver_info: empty, properties: empty },
    [
      { op: 'add', path: '/extra/rack', value: 'r1' },
      { op: 'add', path: '/driver_info/ipmi_password', value: 'secret' },
    ],
    nodeFields,
  );
  assert.deepEqual(changes, { extra: { rack: 'r1' }, driver_info: { ipmi_password: 'secret' } });
  assert.deepEqual(empty, {});
});

const appends = (count: number) =>
  Array.from({ length: count }, () => ({ op: 'add', path: '/extra/list/-', value: 1 }));

test('a patch of more than 1000 operations is refused', () => {
  assert.equal(parsePatch(appends(1000), nodeFields, 115).length, 1000);
  assert.throws(
    () => parsePatch(appends(1001), nodeFields, 115),
    /it has 1001 operations, and at most 1000 are accepted/,
  );
});

test('a patch whose insertions and removals shift more than 10000000 list elements is refused', () => {
  const removals = Array.from({ length: 500 }, () => ({ op: 'remove', path: '/extra/list/0' }) as const);
  const patched = (length: number) =>
    patchedFields({ extra: { list: Array.from({ length }, (_, at) => at) } }, removals, nodeFields);
  assert.deepEqual(patched(501), { extra: { list: [500] } });
  assert.throws(() => patched(30_000), /remove \/extra\/list\/0: .* more than 10000000 elements of lists/);
});

test('the refusal of a path says where the path cannot be followed', () => {
  const document = { extra: { list: [1, 2], text: 'a' } };
  for (const [op, path, reason] of [
    [
      'add',
      '/extra/list/9',
      /can't add \/extra\/list\/9: \/extra\/list is a list of 2 and takes no item "9"/,
    ],
    ['add', '/extra/text/a', /can't add \/extra\/text\/a: \/extra\/text is neither an object nor a list/],
    ['add', '/extra/none/a', /can't add \/extra\/none\/a: there is no \/extra\/none to change/],
    [
      'replace',
      '/extra/list/9',
      /can't replace a non-existent object.*there is no \/extra\/list\/9 to change/,
    ],
  ] as const)
    assert.throws(() => patchedFields(document, [{ op, path, value: 1 }], nodeFields), reason);
});
