// No text from outside makes a regular expression take more than time in proportion to its length.
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { checkSync } from 'recheck';
import { regularExpressionsOf } from './regular-expressions.ts';
import { sourceFiles } from './source-tree.ts';

/** Expressions without a proof, by file, and why they need none. */
const UNPROVEN: Readonly<Record<string, readonly (readonly [text: string, why: string])[]>> = {
  'daemon/api/openapi.ts': [['pattern: `^${', 'stands in a document, nothing is matched with it']],
  'daemon/api/patch-schema.ts': [['pattern: `^/${', 'stands in a document, nothing is matched with it']],
  'daemon/api/schemas.ts': [['pattern: (', 'words a refusal, nothing is matched with it']],
  'daemon/config/section-schema.ts': [
    ['pattern: `^${', 'reads how options are declared, by the daemon and by plugins'],
  ],
  'daemon/config/interpolate.ts': [['RegExp(String', "reads the configuration, which is the operator's"]],
  'daemon/config/option-value.ts': [
    [String.raw`/(?:[^,{]+|\{[^}]*\}|\{)+/g`, "reads the configuration, which is the operator's"],
  ],
  'daemon/model/python-regex.ts': [
    ['RegExp(translated', "is an operator's; the worker thread that runs it is ended when its time is over"],
  ],
  'daemon/plugin-host/manifest-schema.ts': [
    ['pattern: NAME', 'reads manifests of plugins, which the operator installed'],
  ],
};

const OURS = /^(?:daemon|plugins|pxe-filter|ramdisk-callback)\/.*\.ts$/;

const found = sourceFiles()
  .filter(({ path }) => OURS.test(path) && !path.endsWith('.test.ts'))
  .flatMap((file) => regularExpressionsOf(file).map((expression) => ({ path: file.path, ...expression })));

/** Undefined when the time is proven to be proportional to the length, else what was found out. */
function flawOf(source: string, flags: string): string | undefined {
  // the build without a native part: the same everywhere
  process.env['RECHECK_SYNC_BACKEND'] = 'pure';
  // fuzzing, which it would do where it has no proof, misses what needs a long text
  const result = checkSync(source, flags, { checker: 'automaton', timeout: 120_000 });
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable'
    ? `${result.complexity.summary}, as with ${result.attack.pattern.slice(0, 200)}`
    : `no proof: ${result.error.kind}`;
}

const isExcused = ({ path, text }: { readonly path: string; readonly text: string }) =>
  UNPROVEN[path]?.some(([excused]) => excused === text) === true;

test('every regular expression is proven to take linear time, or is known to need no proof', () => {
  const unproven = found.filter(({ pattern, ...place }) => pattern === undefined && !isExcused(place));
  assert.deepEqual(
    unproven.map(({ path, text }) => `${path}: ${text}`),
    [],
    'write them as literals, or list them above with the reason',
  );
  const byPattern = Map.groupBy(
    found.filter((each) => each.pattern !== undefined && !isExcused(each)),
    ({ pattern }) => `/${pattern?.source}/${pattern?.flags}`,
  );
  assert.ok(byPattern.size > 80, `only ${byPattern.size} expressions were found`);
  const flaws = [...byPattern.values()].flatMap(([first]) => {
    const { path, text, pattern } = first ?? { path: '', text: '' };
    const flaw = pattern && flawOf(pattern.source, pattern.flags);
    return flaw === undefined ? [] : [`${path}: ${text}: ${flaw}`];
  });
  assert.deepEqual(flaws, []);
});

test('what is excused from a proof exists', () => {
  for (const [path, excused] of Object.entries(UNPROVEN)) {
    const texts = new Set(found.filter((each) => each.path === path).map(({ text }) => text));
    for (const [text] of excused) assert.ok(texts.has(text), `${path} has no ${text}`);
  }
});

test('an expression that backtracks, or that no proof exists for, is refused', () => {
  const bad = [
    String.raw`(a+)+$`,
    String.raw`\/+$`,
    String.raw`^(\w+\s?)*$`,
    String.raw`\d+\.?\d*x`,
    String.raw`((?:password|token)\s*=\s*(\\*["']))(?:(?!\2)(?:\\[^]|[^\\]))+\2`,
  ];
  for (const source of bad) assert.notEqual(flawOf(source, ''), undefined, source);
  for (const source of [String.raw`^\/+$`, String.raw`^[a-z]+(?:-[a-z]+)*$`])
    assert.equal(flawOf(source, ''), undefined, source);
});

const textsIn = (text: string) => regularExpressionsOf({ path: 'a.ts', text }).map((each) => each.text);

test('an expression is seen in every form, and what only looks like one is not', () => {
  assert.deepEqual(textsIn('const a = /x+/gi;'), ['/x+/gi']);
  assert.deepEqual(textsIn('a.replace(/[/]/, b);'), ['/[/]/']);
  assert.deepEqual(textsIn('const a = `${/x/.test(b)}`;'), ['/x/']);
  assert.deepEqual(textsIn('new RegExp(a + b);'), ['RegExp(a']);
  assert.deepEqual(textsIn(`const a = RegExp('x');`), [`RegExp('x'`]);
  assert.deepEqual(textsIn(`const a = { pattern: '^x$' };`), [`pattern: '^x$'`]);
  assert.deepEqual(textsIn('const a = { pattern: NAME };'), ['pattern: NAME']);
  assert.deepEqual(textsIn(`a.match('x+');`), [`match('x+'`]);
  assert.equal(textsIn('if (a) /x+$/.exec(b);').length, 2);
  assert.deepEqual(textsIn('const a = (b + c) / d / e; // not /x/'), []);
  assert.deepEqual(textsIn(`const a = '/x/' + "RegExp(";`), []);
});
