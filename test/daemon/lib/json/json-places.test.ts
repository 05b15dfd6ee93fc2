import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPlaces, placeIn } from '../../../../daemon/lib/json/json-places.ts';

const text = `{
  "name": "acme",
  "lists": [1, { "a/b": "\\"}" }],
  "empty": {}
}
`;

test('members are found at their key and items of a list at their value', () => {
  const { places, flaw } = jsonPlaces(text);
  const at = (pointer: string) => placeIn('x.json', text, places.get(pointer) ?? -1);
  assert.equal(flaw, undefined);
  assert.equal(at(''), 'x.json:1:1');
  assert.equal(at('/name'), 'x.json:2:3');
  assert.equal(at('/lists/1'), 'x.json:3:16');
  assert.equal(at('/lists/1/a~1b'), 'x.json:3:18');
  assert.equal(at('/empty'), 'x.json:4:3');
});

test('the flaw is the start of the first token that breaks the JSON', () => {
  for (const [broken, offset] of [
    ['', 0],
    ['{ "a": 1,, }', 9],
    ['{ "a": 1 "b" }', 9],
    ['{ "a": yes }', 7],
    ['{ "a": 1 } x', 11],
    ['["a', 1],
    ['{ a: 1 }', 2],
  ] as const) {
    assert.equal(jsonPlaces(broken).flaw, offset, broken);
    assert.throws(() => JSON.parse(broken));
  }
});

test('text that is nested too deeply to read is reported as broken at offset 0, and does not end the process', () => {
  assert.equal(jsonPlaces('['.repeat(1_000_000)).flaw, 0);
});
