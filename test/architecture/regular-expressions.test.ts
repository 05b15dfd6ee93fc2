// Every regular expression of the programs and plugins takes linear time on any input, except those listed here with a reason.
import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { checkSync } from 'recheck';
import { regularExpressionsOf } from './regular-expressions.ts';
import { sourceFiles } from './source-tree.ts';

/** Expressions without a proof, by file, and why they need none. */
const UNPROVEN: Readonly<Record<string, readonly (readonly [text: string, why: string])[]>> = {
  'daemon/http/openapi.ts': [
    ['pattern: `^${', 'is part of the OpenAPI document, nothing is matched with it'],
  ],
  'daemon/http/bodies/patch-schema.ts': [
    ['pattern: `^/${', 'is part of the OpenAPI document, nothing is matched with it'],
  ],
  'daemon/model/records/field-validator.ts': [
    ['pattern: (', 'is the key of a message, nothing is matched with it'],
  ],
  'daemon/config/section-schema.ts': [
    ['pattern: `^${', 'reads how options are declared, by the daemon and by plugins'],
  ],
  'daemon/config/interpolate.ts': [['RegExp(String', "reads the configuration, which is the operator's"]],
  'daemon/config/option-value.ts': [
    [String.raw`/(?:[^,{]+|\{[^}]*\}|\{)+/g`, "reads the configuration, which is the operator's"],
  ],
  'daemon/model/rules/python-regex.ts': [
    ['RegExp(translated', "is an operator's; a worker thread runs it and is ended after a time limit"],
  ],
  'daemon/plugin-host/manifests/manifest-schema.ts': [
    ['pattern: NAME', 'reads manifests of plugins, which the operator installed'],
  ],
};

const OURS = /^(?:daemon|plugins|pxe-filter|ramdisk-callback)\/.*\.ts$/;

const found = sourceFiles()
  .filter(({ path }) => OURS.test(path) && !path.endsWith('.test.ts'))
  .flatMap((file) => regularExpressionsOf(file).map((expression) => ({ path: file.path, ...expression })));

/** Returns why linear time is not proven; undefined when it is. */
function flawOf(source: string, flags: string): string | undefined {
  // recheck's build without native code behaves the same everywhere
  process.env['RECHECK_SYNC_BACKEND'] = 'pure';
  // Without a proof recheck falls back to fuzzing, which misses attacks that need a long text. The size of the automaton bounds
  // the work, not the time, which would depend on the machine.
  const result = checkSync(source, flags, { checker: 'automaton', maxNFASize: 35_000, timeout: null });
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable'
    ? `${result.complexity.summary}, as with ${result.attack.pattern.slice(0, 200)}`
    : `no proof: ${result.error.kind}`;
}

const isExcused = ({ path, text }: { readonly path: string; readonly text: string }) =>
  UNPROVEN[path]?.some(([excused]) => excused === text) === true;

test('every regular expression is proven to take linear time or is listed as exempt', () => {
  const unproven = found.filter(({ pattern, ...place }) => pattern === undefined && !isExcused(place));
  assert.deepEqual(
    unproven.map(({ path, text }) => `${path}: ${text}`),
    [],
    'write them as literals, or list them in UNPROVEN with the reason',
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

test('every expression that is listed as exempt exists', () => {
  for (const [path, excused] of Object.entries(UNPROVEN)) {
    const texts = new Set(found.filter((each) => each.path === path).map(({ text }) => text));
    for (const [text] of excused) assert.ok(texts.has(text), `${path} has no ${text}`);
  }
});

test('an expression that backtracks or has no proof is refused', () => {
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

test('expressions are found in every form and lookalikes are ignored', () => {
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
