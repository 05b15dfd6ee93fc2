import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { interpolate, withoutReferences } from '../../../daemon/config/interpolate.ts';

const named = (text: string) => interpolate(text, (reference) => `<${reference}>`);

test('bare and braced references, with and without a section, are replaced', () => {
  assert.equal(named('$a ${b} $c.d ${e.f}g $h-i'), '<a> <b> <c.d> <e.f>g <h>-i');
});

test('a doubled, escaped or nameless dollar sign becomes one dollar sign', () => {
  assert.equal(named('$$a \\$a $1 ${ ${} $'), '$a $a $1 ${ ${} $');
});

test('interpolating the result of withoutReferences returns the original text', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '\\', '{', '}', 'a', '.', ' ') }), (text) => {
      assert.equal(named(withoutReferences(text)), text);
    }),
  );
});
