// The README shows the import table as it is enforced; without a README this fails, as it should.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { layersAsMarkdown } from './layers.ts';

test('the README contains the import table between its markers', () => {
  const readme = readFileSync(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
  assert.ok(
    readme.includes(`<!-- layers -->\n\n${layersAsMarkdown()}\n\n<!-- /layers -->`),
    `README.md needs this between <!-- layers --> and <!-- /layers -->:\n\n${layersAsMarkdown()}`,
  );
});
