import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseKernelParameters } from '../../../../daemon/model/machine/kernel-parameters.ts';

test('a word may have a value, the last of several words with one name counts, and quotes protect blanks', () => {
  assert.deepEqual(parseKernelParameters(''), {});
  assert.deepEqual(parseKernelParameters('  nomodeset\tconsole=ttyS0,115200n8 a= a=b=c console=tty0 '), {
    nomodeset: null,
    console: 'tty0',
    a: 'b=c',
  });
  assert.deepEqual(parseKernelParameters('dyndbg="file a.c +p" quiet'), {
    dyndbg: '"file a.c +p"',
    quiet: null,
  });
});

test('malformed kernel parameters are rejected', () => {
  for (const text of ['=a', 'ok =', '"a b"', 'a="b', 'a"b', 'ok a=\u0000', 'a\u0007'])
    assert.equal(parseKernelParameters(text), undefined, JSON.stringify(text));
});

test('parsed kernel parameters round-trip for any text', () => {
  const words = fc.array(fc.constantFrom('a', '=', '"', ' ', '\n', 'b=c', '__proto__', '\u0000', 'é'));
  fc.assert(
    fc.property(
      fc.oneof(
        words.map((parts) => parts.join('')),
        fc.string({ maxLength: 200 }),
      ),
      (text) => {
        const parameters = parseKernelParameters(text);
        if (parameters === undefined) return;
        const written = Object.entries(parameters).map(([name, value]) =>
          value === null ? name : `${name}=${value}`,
        );
        assert.deepEqual(parseKernelParameters(written.join(' ')), parameters);
      },
    ),
    { numRuns: 2000 },
  );
});
