import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALL_HOOKS } from '../../fakes/inspection-hooks.ts';

const page = (name: string) => readFileSync(new URL(`../../../daemon/docs/${name}`, import.meta.url), 'utf8');

const sorted = (names: readonly string[]) => names.toSorted((one, other) => one.localeCompare(other));
const namesIn = (table: string) =>
  sorted([...table.matchAll(/^\| `([a-z_-]+)` +\|/gm)].map(([, name = '']) => name));

test('the page of inspection hooks has one row for each hook that ships', () => {
  const [, table = ''] = page('inspection.md').split(/^## /m);
  assert.deepEqual(namesIn(table), sorted(ALL_HOOKS));
});

test('the page of classic drivers has one row for each classic driver that ships', () => {
  const shipped = ['fake', 'oneview'].flatMap((plugin) => {
    const file = new URL(`../../../plugins/${plugin}/plugin.json`, import.meta.url);
    const { entryPoints } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly entryPoints: { readonly 'ironic.drivers': Readonly<Record<string, string>> };
    };
    return Object.keys(entryPoints['ironic.drivers']);
  });
  assert.deepEqual(namesIn(page('classic-drivers.md')), sorted(shipped));
});
