// The layers page shows the enforced tables.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { layersAsMarkdown, roomsAsMarkdown } from './layers.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../daemon/docs/layers.md'), 'utf8');

for (const [name, table] of [
  ['layers', layersAsMarkdown()],
  ['rooms', roomsAsMarkdown()],
] as const)
  test(`daemon/docs/layers.md contains the table of ${name} between its markers`, () => {
    const wanted = `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`;
    assert.ok(page.includes(wanted), `daemon/docs/layers.md needs this:\n\n${wanted}`);
  });
