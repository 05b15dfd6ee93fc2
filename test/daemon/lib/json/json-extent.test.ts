import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonExcess, VALUES_LIMIT } from '../../../../daemon/lib/json/json-extent.ts';

const excessOf = (text: string, depthLimit = 3) => jsonExcess(new TextEncoder().encode(text), depthLimit);

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
