import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { extraHardware } from '../../../plugins/inspection/extra-hardware.ts';
import { draftOf } from './draft.ts';

function after(data: Json | undefined, strict = false) {
  const draft = draftOf({
    pluginData: data === undefined ? {} : { data },
    inspector: { extra_hardware_strict: strict },
  });
  extraHardware.call?.(draft);
  return draft;
}

const rows = [['cpu', 'physical', 'WUT'], [], ['cpu', 'logical', 'number', '8']];

test('rows become nested objects, and integers become numbers', () => {
  const draft = after(rows);
  assert.deepEqual(draft.pluginData, { extra: { cpu: { physical: {}, logical: { number: 8 } } } });
  assert.match(draft.warnings.join(), /short row: \["cpu","physical","WUT"\]/);
});

test('a short row yields an empty object, columns after the fourth are ignored, and keys become strings', () => {
  const { extra } = after([['a'], ['b', 'c'], ['d', 'e', 'f', 'g', 'h'], [5, null, true, 'x']]).pluginData;
  assert.deepEqual(extra, { a: {}, b: { c: {} }, d: { e: { f: 'g' } }, 5: { null: { true: 'x' } } });
});

test("values that Python's int() accepts become numbers, except integers too large to be exact", () => {
  const values: readonly (readonly [Json, Json])[] = [
    ['007', 7],
    [' 12 ', 12],
    ['1_000', 1000],
    ['-3', -3],
    ['0x10', '0x10'],
    ['1.5', '1.5'],
    ['', ''],
    ['9'.repeat(30), '9'.repeat(30)],
    [1.5, 1],
    [null, null],
    [true, 1],
    [['x'], ['x']],
  ];
  for (const [value, expected] of values) {
    assert.deepEqual(after([['a', 'b', 'c', value]]).pluginData['extra'], { a: { b: { c: expected } } });
  }
});

test('__proto__ is an ordinary key', () => {
  const { extra } = after([['__proto__', '__proto__', 'polluted', '1']]).pluginData;
  assert.equal(JSON.stringify(extra), '{"__proto__":{"__proto__":{"polluted":1}}}');
  assert.equal('polluted' in {}, false);
});

test('invalid data are logged and kept; extra_hardware_strict drops data unless every row has four columns', () => {
  for (const data of [5, {}, 'x', [1], [['a', 'b', 'c', 'd'], null]]) {
    const draft = after(data);
    assert.deepEqual(draft.pluginData, { data });
    assert.match(draft.warnings.join(), /expected a list of lists\.$/);
    assert.deepEqual(after(data, true).pluginData, {});
  }
  assert.deepEqual(after(rows, true).pluginData, {});
  assert.deepEqual(after([['a', 'b', 'c', '1']], true).pluginData, { extra: { a: { b: { c: 1 } } } });
  assert.match(after(undefined).warnings.join(), /No extra hardware data/);
});
