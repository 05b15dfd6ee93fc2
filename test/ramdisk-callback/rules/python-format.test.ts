// Formats of Python 3.11; test/fuzz compares thousands more with an installed Python.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../daemon/model/json.ts';
import { FormatError, pythonFormat } from '../../../ramdisk-callback/rules/python-format.ts';
import { pythonAscii, pythonRepr, pythonText } from '../../../ramdisk-callback/rules/python-text.ts';

const formatted: readonly (readonly [value: Json, format: string, expected: string])[] = [
  ['ab', '5', 'ab   '],
  ['ab', '05', 'ab000'],
  ['ab', 'x^5', 'xabxx'],
  ['abc', '.2s', 'ab'],
  ['😀', '<2', '😀 '],
  [7, '', '7'],
  [7, '05', '00007'],
  [-7, '=5', '-   7'],
  [7, '+', '+7'],
  [65, 'c', 'A'],
  [65, '05c', '0000A'],
  [255, '#010x', '0x000000ff'],
  [255, '#X', '0XFF'],
  [123_456_789, '_x', '75b_cd15'],
  [1_234_567, ',', '1,234,567'],
  [1234, '08,', '0,001,234'],
  [1234, '010,', '00,001,234'],
  [1234, '<012,', '1,2340000000'],
  [3, 'n', '3'],
  [true, '3', '  1'],
  [1.5, '', '1.5'],
  [1.5, '05', '001.5'],
  [0.5, '.0f', '0'],
  [1.5, '.0f', '2'],
  [2.5, '.0f', '2'],
  [1.005, '.2f', '1.00'],
  [0.1, '.20f', '0.10000000000000000555'],
  [1_234_567.891, ',.2f', '1,234,567.89'],
  [0.25, '%', '25.000000%'],
  [0.25, '.0%', '25%'],
  [12_345.678, '.3', '1.23e+04'],
  [99.95, '.3', '1e+02'],
  [0.000_01, 'g', '1e-05'],
  [0.000_01, 'E', '1.000000E-05'],
  [1.5, '#.0f', '2.'],
  [1.5, '#g', '1.50000'],
  [-0.01, '.1f', '-0.0'],
  [-0.01, 'z.1f', '0.0'],
  [1.5e300, '.3', '1.5e+300'],
  [Infinity, '06', '000inf'],
];

for (const [value, format, expected] of formatted) {
  test(`the format '${format}' turns ${pythonRepr(value)} into '${expected}'`, () => {
    assert.equal(pythonFormat(value, format), expected);
  });
}

const refused: readonly (readonly [value: Json, format: string])[] = [
  ['ab', 'd'],
  ['ab', '=5'],
  ['ab', '+'],
  ['ab', ','],
  [7, '.2'],
  [7, 's'],
  [7, 'z'],
  [7, ',x'],
  [7, ',n'],
  [1.5, 'd'],
  [-1, 'c'],
  [7, '5.'],
  [7, 'five'],
  [null, '5'],
  [[], '5'],
  [7, '10001'],
  [1.5, '.10001f'],
];

test('a format that is invalid or asks for too many characters is refused with an error that quotes it', () => {
  for (const [value, format] of refused)
    assert.throws(
      () => pythonFormat(value, format),
      (error: unknown) => error instanceof FormatError && error.message.includes(format),
    );
});

test('pythonText and pythonAscii give the texts of str() and ascii()', () => {
  const value = [1.0, 2.5, 1e-7, 1e22, 'a"\'\\\n\u0001\u00a0😀', { k: null }];
  assert.equal(pythonText(value), `[1, 2.5, 1e-07, 1e+22, 'a"\\'\\\\\\n\\x01\\xa0😀', {'k': None}]`);
  assert.equal(pythonAscii('é😀'), String.raw`'\xe9\U0001f600'`);
});
