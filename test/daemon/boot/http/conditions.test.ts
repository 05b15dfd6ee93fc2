import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionalStatus, rangeCounts } from '../../../../daemon/boot/http/conditions.ts';

const modified = Date.UTC(2026, 0, 2, 3, 4, 5);
const file = { etag: '"abc"', modified };
const bytes = { etag: '"abc"' };
const at = (milliseconds: number) => new Date(modified + milliseconds).toUTCString();

for (const [header, value, expected] of [
  ['if-none-match', '"abc"', 304],
  ['if-none-match', 'W/"abc"', 304],
  ['if-none-match', '"x", W/"y" , "abc"', 304],
  ['if-none-match', '*', 304],
  ['if-none-match', '"abcd"', undefined],
  ['if-match', '"abc"', undefined],
  ['if-match', '*', undefined],
  ['if-match', '"x"', 412],
  ['if-match', 'W/"abc"', 412],
  ['if-modified-since', at(0), 304],
  ['if-modified-since', at(1000), 304],
  ['if-modified-since', at(-1000), undefined],
  ['if-modified-since', 'yesterday', undefined],
  ['if-unmodified-since', at(0), undefined],
  ['if-unmodified-since', at(-1000), 412],
  ['if-unmodified-since', 'yesterday', undefined],
] as const) {
  test(`${header}: ${value} is answered ${expected ?? 'with the content'}`, () => {
    assert.equal(conditionalStatus({ [header]: value }, file), expected);
  });
}

test('an entity tag takes precedence over a date', () => {
  const dated = { 'if-modified-since': at(0) };
  assert.equal(conditionalStatus({ 'if-none-match': '"x"', ...dated }, file), undefined);
  assert.equal(conditionalStatus({ 'if-match': '"abc"', 'if-unmodified-since': at(-1000) }, file), undefined);
});

test('conditions on the date are ignored for content without a date', () => {
  assert.equal(conditionalStatus({ 'if-modified-since': at(0) }, bytes), undefined);
  assert.equal(conditionalStatus({ 'if-unmodified-since': at(-1000) }, bytes), undefined);
});

test('a Range header is honoured only if If-Range is absent or names the current version', () => {
  for (const same of [undefined, '"abc"', at(0)]) assert.equal(rangeCounts(same, file), true, same);
  for (const other of ['"abcd"', 'W/"abc"', at(1000), at(-1000), 'yesterday', ''])
    assert.equal(rangeCounts(other, file), false, other);
  assert.equal(rangeCounts(at(0), bytes), false);
});
