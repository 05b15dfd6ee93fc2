import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { manifestReader, entryPointTarget } from '../../../../daemon/plugin-host/manifests/manifest.ts';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-plugin-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const valid = { name: 'acme', version: '1.2.3', pluginApi: '^1.0', summary: 'Acme machines' };
const entry = (target: unknown) => ({
  entryPoints: { 'ironic.hardware.interfaces.power': { acme: target } },
});

const broken: readonly (readonly [what: unknown, sentence: RegExp])[] = [
  ['', /cannot be read: Unexpected end/],
  ['{', /cannot be read/],
  ['[]', /manifest must be object/],
  [{}, /must have required property 'name'/],
  [{ ...valid, name: undefined }, /must have required property 'name'/],
  [{ ...valid, name: 'Acme' }, /:1:2: name is ".*"; expected lower-case letters/],
  [{ ...valid, name: '../acme' }, /:1:2: name is ".*"; expected lower-case letters/],
  [{ ...valid, version: '1' }, /version is "1"; expected a version as in "1\.2\.0"/],
  [{ ...valid, pluginApi: '1.0' }, /pluginApi is "1\.0"; expected a range as in "\^1\.0"/],
  [{ ...valid, pluginApi: '^2.0' }, /pluginApi \^2\.0 does not admit this daemon's plugin API 1\.0\.0/],
  [{ ...valid, pluginApi: '^1.1' }, /pluginApi \^1\.1 does not admit/],
  [{ ...valid, pluginApi: '^1.0.1' }, /pluginApi \^1\.0\.1 does not admit/],
  [{ ...valid, summary: '' }, /summary must NOT have fewer than 1 characters/],
  [{ ...valid, foo: 1 }, /:1:79: the manifest has the unknown key "foo"; known are \$schema, name/],
  [{ ...valid, 'a/b': 1 }, /:1:79: the manifest has the unknown key "a\/b"/],
  [{ ...valid, entrypoint: {} }, /unknown key "entrypoint"; did you mean "entryPoints"\?/],
  [{ ...valid, ...entry(5) }, /acme must be string/],
  [{ ...valid, ...entry('power.ts:power') }, /acme is ".*"; expected a file of this folder/],
  [{ ...valid, ...entry('./power.ts') }, /acme is ".*"; expected a file of this folder/],
  [{ ...valid, ...entry('./power.py:power') }, /acme is ".*"; expected a file of this folder/],
  [
    { ...valid, entryPoints: { 'ironic.inspection.hooks': { 'A B': './a.ts:a' } } },
    /"A B" is no name; expected lower-case/,
  ],
  [{ ...valid, hardwareTypes: { acme: {} } }, /must have required property 'supported'/],
  [
    { ...valid, hardwareTypes: { acme: { supported: { bot: [] } } } },
    /supported has the unknown key "bot"; did you mean "boot"\?/,
  ],
  [{ ...valid, hardwareTypes: { acme: { supported: { power: 'acme' } } } }, /power must be array/],
  [{ ...valid, hardwareTypes: { acme: { extends: 5, supported: {} } } }, /extends must be string/],
  [{ ...valid, configuration: { acme: { type: 'string' } } }, /configuration/],
  [
    { ...valid, configuration: { acme: { type: 'object', properties: { patience: { type: 'integer' } } } } },
    /the option \[acme\] patience needs a default/,
  ],
];

test('each broken manifest is refused with one sentence that names the folder and the cause', (t) => {
  const read = manifestReader('1.0.0');
  for (const [what, sentence] of broken) {
    const directory = folder(t);
    writeFileSync(join(directory, 'plugin.json'), typeof what === 'string' ? what : JSON.stringify(what));
    assert.throws(
      () => read({ folder: directory, isInTree: false }),
      (error: Error) => {
        assert.match(error.message, sentence);
        assert.ok(error.message.startsWith(`${directory}/plugin.json`), error.message);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      },
    );
  }
  assert.ok(broken.length >= 20);
});

test('a missing plugin.json and a directory of that name are refused', (t) => {
  const read = manifestReader('1.0.0');
  const directory = folder(t);
  assert.throws(() => read({ folder: directory, isInTree: false }), /plugin\.json cannot be read: ENOENT/);
  mkdirSync(join(directory, 'plugin.json'));
  assert.throws(
    () => read({ folder: directory, isInTree: false }),
    /plugin\.json cannot be read: it is not a regular file/,
  );
});

test("a manifest is accepted exactly when its pluginApi range admits the daemon's version of the plugin API", (t) => {
  const directory = folder(t);
  writeFileSync(join(directory, 'plugin.json'), JSON.stringify({ ...valid, pluginApi: '^1.2.3' }));
  for (const version of ['1.2.3', '1.2.10', '1.3.0', '1.10.0']) {
    assert.equal(
      manifestReader(version)({ folder: directory, isInTree: false }).manifest.name,
      'acme',
      version,
    );
  }
  for (const version of ['1.2.2', '1.1.9', '2.2.3', '0.2.3']) {
    assert.throws(
      () => manifestReader(version)({ folder: directory, isInTree: false }),
      /does not admit/,
      version,
    );
  }
});

test('reading any JSON as a manifest yields a plugin or an error that names the folder', (t) => {
  const read = manifestReader('1.0.0');
  const directory = folder(t);
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        ...Object.fromEntries(Object.entries(valid).map(([key, value]) => [key, fc.constant(value)])),
        entryPoints: fc.jsonValue(),
        hardwareTypes: fc.jsonValue(),
        configuration: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(anything, (manifest) => {
      writeFileSync(join(directory, 'plugin.json'), JSON.stringify(manifest));
      try {
        assert.equal(read({ folder: directory, isInTree: false }).folder, directory);
      } catch (error) {
        assert.ok(error instanceof Error && error.message.startsWith(directory), String(error));
      }
    }),
    { numRuns: 100, seed: 5 },
  );
});

test('an entry point is refused when its file is missing, or when its path or a symlink leads out of the folder of the plugin', (t) => {
  const [directory, elsewhere] = [folder(t), folder(t)];
  writeFileSync(join(elsewhere, 'evil.ts'), '');
  writeFileSync(join(directory, 'fine.ts'), '');
  symlinkSync(join(elsewhere, 'evil.ts'), join(directory, 'link.ts'));
  const plugin = { isInTree: false, folder: directory, manifest: valid };
  assert.equal(entryPointTarget(plugin, './fine.ts:it').exported, 'it');
  assert.throws(
    () => entryPointTarget(plugin, `./../${basename(elsewhere)}/evil.ts:it`),
    /leads out of the plugin's folder/,
  );
  assert.throws(() => entryPointTarget(plugin, './link.ts:it'), /leads out of the plugin's folder/);
  assert.throws(() => entryPointTarget(plugin, './missing.ts:it'), /missing\.ts:it cannot be read/);
});
