import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseIni } from '../../../daemon/config/ini.ts';

test('parsing reads sections, both separators (= and :) and the line number of each entry', () => {
  const { entries, problems } = parseIni('[DEFAULT]\r\ndebug = true\n\n[a.b]\nurl: http://x:80/?a=b\n');
  assert.deepEqual(problems, []);
  assert.deepEqual(entries, [
    { section: 'DEFAULT', option: 'debug', value: 'true', line: 2 },
    { section: 'a.b', option: 'url', value: 'http://x:80/?a=b', line: 5 },
  ]);
});

test('comment characters and references inside a value are kept verbatim', () => {
  const text = '[a]\n# note\n; note\npassword = pa;ss#wo rd=$x\nflag = true\nempty =\n';
  assert.deepEqual(
    parseIni(text).entries.map(({ value }) => value),
    ['pa;ss#wo rd=$x', 'true', ''],
  );
});

test('one pair of matching quotes around a value is removed', () => {
  const values = parseIni(`[a]\na = " x "\nb = 'x'\nc = ''x''\nd = "x'\ne = "\n`).entries.map((e) => e.value);
  assert.deepEqual(values, [' x ', 'x', "'x'", `"x'`, '"']);
});

test('an indented line continues the value above it until a blank line, a comment or another entry', () => {
  const { entries, problems } = parseIni('[a]\nlist = x,\n  y,\n\tz\nnext = 1\n\n  stray\n# c\n  stray\n');
  assert.deepEqual(
    entries.map(({ value, line }) => [value, line]),
    [
      ['x,\ny,\nz', 2],
      ['1', 5],
    ],
  );
  assert.deepEqual(
    problems.map(({ line }) => line),
    [7, 9],
  );
});

test('a repeated key yields one entry per occurrence, in order', () => {
  const { entries } = parseIni('[a]\nx = 1\n[b]\nx = 2\n[a]\nx = 3\n');
  assert.deepEqual(
    entries.map(({ section, value, line }) => [section, value, line]),
    [
      ['a', '1', 2],
      ['b', '2', 4],
      ['a', '3', 6],
    ],
  );
});

test('an unreadable line is reported with its number and the other lines are parsed', () => {
  const { entries, problems } = parseIni('early = 1\n[]\n[open\n[a] # note\n[a]\nword\n= 1\nlate = 2\n');
  assert.deepEqual(entries, [{ section: 'a', option: 'late', value: '2', line: 8 }]);
  assert.deepEqual(
    problems.map(({ line }) => line),
    [1, 2, 3, 4, 6, 7],
  );
  assert.match(problems[0]?.message ?? '', /early .*\[DEFAULT\]/);
  assert.match(problems[4]?.message ?? '', /expected "option = value"/);
});

test('parsing any text never throws and reports only existing line numbers', () => {
  const line = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('[', ']', '=', ':', ' ', '\t', '#', '"', 'a', '\r') }),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      const { entries, problems } = parseIni(text);
      const count = text.split('\n').length;
      for (const { line: number } of [...entries, ...problems]) assert.ok(number >= 1 && number <= count);
      for (const { section, option } of entries) assert.ok(section !== '' && option !== '');
    }),
  );
});

test('any quoted value of one line is read back unchanged', () => {
  const value = fc.string().filter((text) => !/[\r\n]/.test(text));
  fc.assert(
    fc.property(value, (text) => {
      assert.deepEqual(parseIni(`[s]\nname = "${text}"\n`).entries, [
        { section: 's', option: 'name', value: text, line: 2 },
      ]);
    }),
  );
});
