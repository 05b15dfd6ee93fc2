import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedJson, DEPTH_LIMIT, jsonExcess, VALUES_LIMIT } from '../../../../daemon/lib/json/json-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const excessOf = (text: string, depthLimit = 3) => jsonExcess(bytes(text), depthLimit);

test('nesting depth is counted only outside strings', () => {
  assert.equal(excessOf('{"a":[{}]}'), undefined);
  assert.equal(excessOf('{"a":[{"b":[]}]}'), 'depth');
  assert.equal(excessOf(String.raw`["[[[[\"[[[["]`), undefined);
});

const list = (length: number) => `[${Array.from({ length }, () => '0').join(',')}]`;

test('values are counted only outside strings', () => {
  assert.equal(excessOf(list(VALUES_LIMIT - 1)), undefined);
  assert.equal(excessOf(list(VALUES_LIMIT)), 'values');
  assert.equal(excessOf(`[${'[],'.repeat(VALUES_LIMIT / 2)}0]`), 'values');
  assert.equal(excessOf(`["${','.repeat(VALUES_LIMIT * 2)}"]`), undefined);
});

test('a text of another service is read up to a depth and a number of values, with or without a byte order mark', () => {
  const nested = (depth: number) => bytes(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  assert.deepEqual(boundedJson(bytes('\uFEFF{"a": [1, "ä"]}')), { a: [1, 'ä'] });
  assert.equal(Array.isArray(boundedJson(nested(DEPTH_LIMIT))), true);
  assert.equal(boundedJson(nested(DEPTH_LIMIT + 1)), undefined);
  assert.equal(boundedJson(bytes(list(VALUES_LIMIT))), undefined);
  for (const text of ['', '{', '<html>', 'nul']) assert.equal(boundedJson(bytes(text)), undefined);
});
