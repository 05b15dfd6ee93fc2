import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { monitoringAndMoves } from './monitoring-and-moves.ts';
import { serviceAndPage } from './service-and-page.ts';

const scenarios = [...serviceAndPage, ...monitoringAndMoves];
const ROOT = path.join(import.meta.dirname, '../..');

/** Whether a file `*.test.ts` has a test with this title, or any other file contains the text. */
function isThere(file: string, text: string): boolean {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  if (!file.endsWith('.test.ts')) return source.includes(text);
  const literals = [`'${text}',`, `"${text}",`, `\`${text}\`,`];
  return literals.some((literal) =>
    ['test', 'it'].some((name) => source.includes(`${name}(${literal}`) || titleOnItsLine(source, literal)),
  );
}

const titleOnItsLine = (source: string, literal: string): boolean =>
  source
    .split('\n')
    .some((line, at, lines) => line.trim() === literal && /\b(?:test|it)\($/.test(lines[at - 1] ?? ''));

test('each of the forty scenarios of operation names tests and checks that exist', () => {
  assert.equal(scenarios.length, 40);
  const missing = scenarios.flatMap(([given, ...by]) =>
    by.filter(([file, text]) => !isThere(file, text)).map(([file, text]) => `${given}: ${file}: ${text}`),
  );
  assert.deepEqual(missing, []);
});
