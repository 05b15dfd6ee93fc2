// No files import each other in a circle, except files of the plugin API, which import each other's types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesIn } from './circles.ts';
import { sourceFiles } from './source-tree.ts';

const file = (path: string, ...imports: readonly string[]) => ({
  path,
  text: imports.map((specifier) => `import type { X } from '${specifier}';`).join('\n'),
});

test('no files import each other in a circle, except files of the plugin API', () => {
  const files = sourceFiles().filter(({ path }) => path.endsWith('.ts'));
  const circles = circlesIn(files).filter(
    (circle) => !circle.every((path) => path.startsWith('daemon/plugin-api/')),
  );
  assert.deepEqual(circles, []);
});

test('circles in the plugin API consist of type imports alone', () => {
  const files = sourceFiles()
    .filter(({ path }) => path.startsWith('daemon/plugin-api/'))
    .map(({ path, text }) => ({ path, text: text.replaceAll(/^import type [^;]+;$/gm, '') }));
  assert.ok(files.length > 10, `only ${files.length} files were read`);
  assert.deepEqual(circlesIn(files), []);
});

test('circles of two and of three files are found, each once', () => {
  const circles = circlesIn([
    file('a/one.ts', './two.ts', '../b/alone.ts'),
    file('a/two.ts', './one.ts'),
    file('b/alone.ts', '../c/first.ts'),
    file('c/first.ts', './second.ts'),
    file('c/second.ts', './third.ts', './fourth.ts'),
    file('c/third.ts', './first.ts'),
    file('c/fourth.ts'),
  ]);
  assert.deepEqual(circles, [
    ['c/first.ts', 'c/second.ts', 'c/third.ts'],
    ['a/one.ts', 'a/two.ts'],
  ]);
});

test('an import through #plugin-api closes a circle', () => {
  const files = [file('daemon/plugin-api/index.ts', '../lib/a.ts'), file('daemon/lib/a.ts', '#plugin-api')];
  assert.equal(circlesIn(files).length, 1);
});
