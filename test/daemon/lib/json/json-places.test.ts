import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offsetOfFlaw, placeIn, placeOf } from '../../../../daemon/lib/json/json-places.ts';

const text = `{
  "name": "acme",
  "lists": [1, { "a/b": "\\"}" }],
  "empty": {}
}
`;

const at = (pointer: string) => placeIn('x.json', text, placeOf(text, pointer));

test('members are found at their key and items of a list at their value', () => {
  assert.equal(at(''), 'x.json:1:1');
  assert.equal(at('/name'), 'x.json:2:3');
  assert.equal(at('/lists/1'), 'x.json:3:16');
  assert.equal(at('/lists/1/a~1b'), 'x.json:3:18');
  assert.equal(at('/empty'), 'x.json:4:3');
});

function flawIn(broken: string): number {
  try {
    JSON.parse(broken);
  } catch (error) {
    return offsetOfFlaw(broken, error);
  }
  throw new Error(`${broken} is JSON`);
}

test('the flaw is where the text stops being JSON', () => {
  for (const [broken, offset] of [
    ['', 0],
    ['{ "a": 1,, }', 9],
    ['{ "a": 1,}', 9],
    ['{ "a": 1 "b" }', 9],
    ['{ "a": yes }', 7],
    ['{ "a": 1 } x', 11],
    ['["a\', 1]', 8],
    ['{ a: 1 }', 2],
  ] as const)
    assert.equal(flawIn(broken), offset, broken);
});

test('a text too long to be searched is reported as broken at its start', () => {
  assert.equal(flawIn('['.repeat(1_000_000)), 0);
});
