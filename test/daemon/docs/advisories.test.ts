// The page of advisories names tests that exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('each advisory names tests that exist', () => {
  const rows = read('daemon/docs/advisories.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`test/'));
  assert.equal(rows.length, 28);
  for (const row of rows)
    for (const shown of (row.split(' | ')[3] ?? '').split('; ')) {
      const [, file = '', title = ''] = /^`([^`]+)`: (.*?)(?: *\|)?$/.exec(shown.trim()) ?? [];
      const source = read(file);
      const isThere = ["'", '"'].some((quote) => source.includes(`(${quote}${title.trim()}${quote},`));
      assert.ok(isThere, `${file} has no test "${title}"`);
    }
});
