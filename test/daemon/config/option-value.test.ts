import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { allowedValues, parseValue, valueText } from '../../../daemon/config/option-value.ts';
import type { OptionSchema } from '../../../daemon/config/section-schema.ts';

const parse = (schema: OptionSchema, text: string) => parseValue(schema, text, '/srv');

test('an empty value unsets an option without a default and is parsed by type otherwise', () => {
  assert.equal(parse({ type: 'integer' }, ''), null);
  assert.equal(parse({ type: 'string' }, ''), null);
  assert.equal(parse({ type: 'integer', default: 1 }, ''), undefined);
  assert.equal(parse({ type: 'string', default: 'x' }, ''), '');
  assert.deepEqual(parse({ type: 'array', items: { type: 'string' }, default: ['x'] }, ''), []);
});

test('only decimal numbers within the bounds are accepted', () => {
  const integer: OptionSchema = { type: 'integer', minimum: -5, maximum: 5 };
  assert.equal(parse(integer, ' +5 '), 5);
  assert.equal(parse(integer, '-5'), -5);
  for (const text of ['6', '-6', '0x1', '1.0', '1e0', 'Infinity', '٣', '1 2']) {
    assert.equal(parse(integer, text), undefined, text);
  }
  assert.equal(parse({ type: 'number' }, '1.5e2'), 150);
  for (const text of ['.', '1e999', 'NaN', '0x1'])
    assert.equal(parse({ type: 'number' }, text), undefined, text);
});

test('lists drop blank items, keep order and may span lines', () => {
  assert.deepEqual(parse({ type: 'array', items: { type: 'string' } }, ' b ,,a,\nc,'), ['b', 'a', 'c']);
  const paths: OptionSchema = { type: 'array', items: { type: 'string', format: 'path' } };
  assert.deepEqual(parse(paths, 'a,/b'), ['/srv/a', '/b']);
});

test('a comma inside braces belongs to its item', () => {
  const list: OptionSchema = { type: 'array', items: { type: 'string' } };
  const items = ['{"vendor_id": "10de", "name": "a"}', 'b', '{c'];
  assert.deepEqual(parse(list, `${items[0]}, b,{c`), items);
  assert.deepEqual(parse(list, valueText(items)), items);
});

test('kernel parameters are kept verbatim and malformed ones are rejected', () => {
  const parameters: OptionSchema = { type: 'string', format: 'kernel-parameters', default: '' };
  for (const text of ['', 'nomodeset', 'a=b  c="d e"']) assert.equal(parse(parameters, text), text);
  for (const text of ['=a', 'a="b']) assert.equal(parse(parameters, text), undefined);
  assert.match(allowedValues(parameters), /^NAME or NAME=VALUE words/);
});

test('allowedValues describes a schema in words', () => {
  assert.equal(allowedValues({ type: 'integer', minimum: 1 }), 'an integer of at least 1');
  assert.equal(allowedValues({ type: 'number', minimum: 0, maximum: 1 }), 'a number from 0 to 1');
  assert.equal(allowedValues({ type: 'string', enum: ['a', 'b'] }), 'one of a, b');
  assert.equal(allowedValues({ type: 'string' }), 'text');
});

test('numbers, flags and lists round-trip through text', () => {
  const word = fc.stringMatching(/^[a-z0-9-]+$/);
  const cases = fc.oneof(
    fc.record({ schema: fc.constant<OptionSchema>({ type: 'boolean' }), value: fc.boolean() }),
    fc.record({
      schema: fc.constant<OptionSchema>({ type: 'number' }),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    }),
    fc.record({
      schema: fc.constant<OptionSchema>({ type: 'array', items: { type: 'string' }, default: [] }),
      value: fc.array(word),
    }),
  );
  fc.assert(
    fc.property(cases, ({ schema, value }) => assert.deepEqual(parse(schema, valueText(value)), value)),
  );
});
