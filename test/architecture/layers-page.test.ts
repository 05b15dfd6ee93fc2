// The layers page shows the enforced import table.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { layersAsMarkdown } from './layers.ts';

test('daemon/docs/layers.md contains the import table between its markers', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../daemon/docs/layers.md'), 'utf8');
  assert.ok(
    page.includes(`<!-- layers -->\n\n${layersAsMarkdown()}\n\n<!-- /layers -->`),
    `daemon/docs/layers.md needs this between <!-- layers --> and <!-- /layers -->:\n\n${layersAsMarkdown()}`,
  );
});
