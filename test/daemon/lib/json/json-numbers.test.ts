import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { changedNumber, readJson, writeJson } from '../../../../daemon/lib/json/json-text.ts';

const changed = [
  '9007199254740993',
  '1152921504606846976',
  '12345678901234567890',
  '-18446744073709551616',
  '1e999',
  '-1E+999',
  '1e-999',
  '0.1234567890123456789',
  '9'.repeat(400),
];
const kept = [
  '0',
  '-0',
  '-1',
  '9007199254740991',
  '9007199254740992',
  '100000000000000000000',
  '1e21',
  '0e5',
  '0.1',
  '1.50',
  '0.30000000000000004',
  '5e-324',
  '1.7976931348623157e308',
];

test('a number that JavaScript would change is found anywhere in the text', () => {
  for (const number of changed) {
    for (const text of [number, `[1, ${number}]`, `{"a":${number}}`, `{"a": [{"b":"1e9","c":\n${number}}]}`])
      assert.equal(changedNumber(text), number, text);
  }
});

test('numbers that JavaScript keeps, and digits inside strings, are not reported', () => {
  for (const number of kept) assert.equal(changedNumber(`{"a":${number}}`), undefined, number);
  for (const text of ['12345678901234567890', 'x:1e999', ',12345678901234567890', '["1e999'])
    assert.equal(changedNumber(JSON.stringify({ [text]: [text] })), undefined, text);
});

test('numbers written by JavaScript are never reported', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
      (number) => {
        assert.equal(changedNumber(JSON.stringify([number])), undefined);
      },
    ),
  );
});

test('JSON is written back with its numbers as received', () => {
  const list = `[${changed.join(',')}]`;
  for (const text of [`{"a":${list},"__proto__":{"b":{"c":1e999}},"d":"1e999","e":[1,{}]}`, list]) {
    const { value, numbers } = readJson(text);
    assert.equal(writeJson(value as object, numbers), text);
    assert.deepEqual(value, JSON.parse(text));
  }
});

test('a value that replaces a number is written as given', () => {
  const { value, numbers } = readJson('{"a":1e999,"b":12345678901234567890,"c":12345678901234567890}');
  const copy = { ...(value as object), a: 'gone', b: 7 };
  assert.equal(writeJson(copy, numbers, value as object), '{"a":"gone","b":7,"c":12345678901234567890}');
});
