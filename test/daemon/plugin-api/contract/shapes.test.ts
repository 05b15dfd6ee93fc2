import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  describeValue,
  flag,
  json,
  listOf,
  object,
  oneOf,
  orNull,
  text,
} from '../../../../daemon/plugin-api/contract/shapes.ts';

test('the json shape admits JSON, and nothing that is too large, too deep, circular or not JSON', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => json.admits(value)));
  const circle: unknown[] = [];
  circle.push({ deeper: circle });
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) as unknown;
  const large = [1_000_001, 3_000_000].map((length) => 'x'.repeat(length));
  for (const value of [circle, deep, ...large, () => 1, 1n, Symbol('x'), Number.NaN, { a: { b: () => 1 } }])
    assert.equal(json.admits(value), false, describeValue(value));
});

test('a list is rejected for one wrong item or too many items, and an object for one wrong member', () => {
  const setting = object({ name: text, value: orNull(text) });
  assert.equal(
    listOf(setting).admits([
      { name: 'a', value: null, more: 1 },
      { name: 'b', value: 'c' },
    ]),
    true,
  );
  for (const wrong of [
    null,
    [{ name: 'a' }, { name: 'b', value: 5 }],
    [{ name: 'a', value: 'b', more: () => 1 }],
    'a',
  ])
    assert.equal(listOf(setting).admits(wrong), false);
  assert.equal(listOf(flag).admits(Array.from({ length: 10_001 }, () => true)), false);
});

test('checking and describing any value never throws', () => {
  const shapes = [json, text, flag, listOf(json), object({ a: text }), oneOf('a', null)];
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
      (value) => {
        for (const shape of shapes) assert.equal(typeof shape.admits(value), 'boolean');
        assert.ok(describeValue(value).length < 1000);
      },
    ),
  );
});
