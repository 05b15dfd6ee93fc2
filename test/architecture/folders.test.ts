// No folder holds more files than a reader can take in at a glance.
import assert from 'node:assert/strict';
import path from 'node:path/posix';
import { test } from 'node:test';
import { sourceFiles } from './source-tree.ts';

const MAXIMUM_FILES = 16;

/** Folders with one file for each resource or change of the schema. */
const isList = (folder: string) => /\/(?:routes|migrations)$/.test(folder);

/**
 * Returns the folders that have too many files of their own, with the number; folders of routes and of migrations are exempt. Pages
 * (.md), which the README lists, do not count.
 */
const overfull = (files: readonly string[]): readonly string[] => {
  const folders = Map.groupBy(
    files.filter((file) => !file.endsWith('.md')),
    (file) => path.dirname(file),
  );
  return [...folders].flatMap(([folder, own]) =>
    own.length > MAXIMUM_FILES && !isList(folder) ? [`${folder}: ${own.length}`] : [],
  );
};

test(`no folder has more than ${MAXIMUM_FILES} files of its own, except folders of routes and of migrations`, () => {
  const paths = sourceFiles().map((file) => file.path);
  assert.ok(paths.length > 1000, `only ${paths.length} files were read`);
  assert.deepEqual(overfull(paths), []);
});

const files = (folder: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`);

test('an overfull folder is named; pages and files of subfolders do not count, and a folder of routes is exempt', () => {
  assert.deepEqual(overfull(files('daemon/a', 17)), ['daemon/a: 17']);
  assert.deepEqual(overfull([...files('daemon/a', 16), ...files('daemon/a/b', 16), 'daemon/a/c.md']), []);
  assert.deepEqual(overfull(files('daemon/api/routes', 30)), []);
});
