// The page of advisories names test files that exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../../..');

test('each advisory names test files that exist', () => {
  const page = readFileSync(path.join(ROOT, 'daemon/docs/advisories.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| [A-Z]/.test(line) && !line.startsWith('| Advisory'));
  for (const row of rows) {
    const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
    assert.notEqual(files.length, 0, row);
    for (const file of files) assert.ok(existsSync(path.join(ROOT, file)), file);
  }
});
