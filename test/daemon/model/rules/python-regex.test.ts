// Regular expressions of rules match as in Python, which the test runs for comparison.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { pythonRegex } from '../../../../daemon/model/rules/python-regex.ts';

const PYTHON = '/usr/bin/python3';
const skip = spawnSync(PYTHON, ['--version']).status === 0 ? false : 'python3 is not installed';

const counts = ['a{,3}', '^a{,3}$', 'a{,}b', '^a{2,}$', 'a{,3}?b', '(?:a|b){,2}c', '(?i)a{,2}B', 'a{3,2}'];
const braces = ['\\{,3}', 'a{,3', 'a{1', '{', 'a}', '[a{,3}]'];
const classes = [
  '[]a]+',
  '[^]a]+',
  '[[]a]',
  '[a[]b]',
  '[a\\]b]+',
  '[$]',
  '[.]',
  '[\\w-]+',
  'a]',
  '[^^]a',
  '[z-a]',
];
const lineEnds = [
  'a.b',
  '(?s)a.b',
  'a\\.b',
  '^$',
  '$^',
  'a$',
  'a$b',
  '(?m)a$',
  '(?m)^b$',
  '(?im)^A',
  '\\Aab\\Z',
];
const groups = ['(?P<n>a)(?P=n)', '(a)\\1', '(?<=a)b', '(?<!a)b', '(?=a)', '(?P<n', 'a|*', 'a**'];
const flags = ['(?i)DELL', '(?i:D)ell', '(?i:d)ELL', '(?a)\\w', '(?u)a', 'a(?i)b'];
const escapes = [
  '[\\A]',
  '[\\B]',
  '[\\Z]',
  '[\\q]',
  '[\\b]',
  '[\\s\\d]',
  '\\d+',
  '\\b1\\b',
  '\\x41',
  '\\u0041',
  '\\\\A',
];
const patterns = [counts, braces, classes, lineEnds, groups, flags, escapes].flat();

const words = [
  '',
  'a',
  'aa',
  'aaa',
  'aaaa',
  'ab',
  'aab',
  'aaab',
  'b',
  'cc',
  'abc',
  'ac',
  'dell',
  'DELL',
  'dELL',
  'A',
];
const lines = ['a.b', 'a\nb', 'a\rb', 'a\u2028b', 'b\na', 'a\n', 'a\r', 'ab\n', '\n'];
const marks = [
  ']a',
  'a]',
  'a}',
  '{',
  'a{1',
  '[a]',
  ',',
  '$',
  '^a',
  'a-b',
  'a{,3}',
  '{,3}',
  'a{,3',
  '\\A',
  '1',
  'a1',
];
const texts = [words, lines, marks].flat();

const SCRIPT = `
import json, re, sys
patterns, texts = json.load(sys.stdin)
def found(pattern):
    try:
        compiled = re.compile(pattern)
    except re.error:
        return None
    return [text for text in texts if compiled.search(text)]
print(json.dumps([found(pattern) for pattern in patterns]))
`;

function foundIn(pattern: string): readonly string[] | null {
  try {
    const compiled = pythonRegex(pattern);
    return texts.filter((text) => compiled.test(text));
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return null;
  }
}

test('an expression matches or is refused exactly as in Python', { skip }, () => {
  const input = JSON.stringify([patterns, texts]);
  const { stdout, stderr } = spawnSync(PYTHON, ['-W', 'ignore', '-c', SCRIPT], { input, encoding: 'utf8' });
  assert.equal(stderr, '');
  const expected = JSON.parse(stdout) as readonly (readonly string[] | null)[];
  assert.deepEqual(
    patterns.map((pattern) => [pattern, foundIn(pattern)]),
    patterns.map((pattern, at) => [pattern, expected[at]]),
  );
});

test('unsupported syntax of Python and unknown escapes are refused', () => {
  for (const pattern of [
    'a++',
    '(?>a)b',
    '(?(1)a|b)',
    '(?x)a',
    '(?s:.)',
    '\\N{DASH}',
    '\\U0001F600',
    '\\Qa',
    '\\a',
    '[\\a]',
    '[\\N{DASH}]',
    '[\\U0001F600]',
  ])
    assert.throws(() => pythonRegex(pattern), SyntaxError, pattern);
});
