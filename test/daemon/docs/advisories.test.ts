// Each row of the page of advisories names a test that exists.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const root = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'daemon/docs/advisories.md'), 'utf8');

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| CVE-') || line.startsWith('| OSS'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

test('every row of the page of advisories names a test by its title and file', () => {
  assert.notEqual(rows.length, 0);
  for (const [, advisory = '', , , title = '', file = ''] of rows) {
    const text = readFileSync(path.join(root, file), 'utf8');
    assert.ok(text.includes(`'${title}'`), `${advisory}: ${file} has no test with the title "${title}"`);
  }
});
