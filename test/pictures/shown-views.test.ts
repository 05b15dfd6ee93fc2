import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { shownViews } from './shown-views.ts';

const SITE = join(import.meta.dirname, '../../daemon/ui/site.ts');

test('every view that the page has is among those of which pictures are made, and which axe examines', () => {
  const routes = [...readFileSync(SITE, 'utf8').matchAll(/^ {2}'(\/ui\/[^']*)':/gm)].map(
    ([, route = '']) => route,
  );
  assert.ok(routes.length >= 8, `only ${routes.join(', ')} were found in daemon/ui/site.ts`);
  const shown = new Set(shownViews.map(({ route }) => route));
  const missing = routes.filter((route) => !shown.has(route));
  assert.deepEqual(missing, [], 'add these to test/pictures/shown-views.ts');
  const unknown = [...shown].filter(
    (route) => route !== undefined && route !== 'nodes' && !routes.includes(route),
  );
  assert.deepEqual(unknown, [], 'these are no views any more');
});

test('pictures of two views do not have the same name', () => {
  const names = shownViews.map(({ name }) => name);
  assert.deepEqual(names.length, new Set(names).size, names.toSorted().join(' '));
});
