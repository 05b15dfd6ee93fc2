import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { quirks } from './quirks.ts';
import { scenarios } from './scenarios.ts';
import { fileOf, type Shown } from './shown-tests.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');

/** Whether the file has a test with this title. */
function isThere(shown: Shown): boolean {
  const source = readFileSync(path.join(ROOT, fileOf(shown)), 'utf8');
  const [, title] = shown;
  return [`'${title}',`, `"${title}",`].some(
    (literal) => source.includes(`test(${literal}`) || source.includes(`test(\n  ${literal}`),
  );
}

/** The numbers before the colon of a title such as `quirks 20 and 21: ...`; none if the title does not start with `kind`. */
const numbersIn = (title: string, kind: string): readonly number[] =>
  title.startsWith(kind) ? (title.split(':')[0]?.match(/\d+/g) ?? []).map(Number) : [];

for (const [kind, shown, count] of [
  ['quirk', quirks.map(([, , ...by]) => by), 52],
  ['scenario', scenarios.map(([, ...by]) => by), 50],
] as const)
  test(`each of the ${count} ${kind}s names tests that exist`, () => {
    assert.equal(shown.length, count);
    for (const [index, by] of shown.entries()) {
      const number = index + 1;
      assert.ok(by.length > 0, `${kind} ${number}`);
      for (const each of by) {
        assert.ok(isThere(each), `${kind} ${number}: ${fileOf(each)} has no test "${each[1]}"`);
        const told = numbersIn(each[1], kind);
        assert.ok(told.length === 0 || told.includes(number), `${kind} ${number}: ${each[1]}`);
      }
    }
  });
