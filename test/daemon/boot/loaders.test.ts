import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLoaders, loaders } from '../../../daemon/boot/loaders.ts';

test('a loader is served from the first path that is a file, and a missing loader is listed with its package', () => {
  const here = import.meta.filename;
  const { found, missing } = findLoaders([
    { name: 'here.efi', package: 'a', paths: ['/nowhere/x', here] },
    { name: 'gone.efi', package: 'b', paths: ['/nowhere/x', import.meta.dirname] },
  ]);
  assert.deepEqual(found, { 'here.efi': { kind: 'file', path: here } });
  assert.deepEqual(
    missing.map((loader) => `${loader.name} ${loader.package}`),
    ['gone.efi b'],
  );
});

test('no two loaders have the same name', () => {
  assert.equal(new Set(loaders.map(({ name }) => name)).size, loaders.length);
});
