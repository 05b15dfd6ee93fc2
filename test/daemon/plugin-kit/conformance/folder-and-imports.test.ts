// What the check finds in a plugin's folder, in its imports and in its hooks; and the time limit of the plugin's own tests.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { isolatedCheck } from '../../../../daemon/plugin-kit/conformance/isolated-check.ts';
import { runOwnTests } from '../../../../daemon/plugin-kit/conformance/own-tests.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const hook = (more = '', first = '') =>
  `import { defineHook } from '#plugin-api';\n${first}\nexport const acme = defineHook({ call() {}, ${more} });`;
const manifestOf = (hooks: object) =>
  pluginManifest('acme', { entryPoints: { 'ironic.inspection.hooks': hooks } });

/** Returns the folder of a plugin whose file `acme.js` is `code`; the search path also holds the file `elsewhere.js`. */
function folderOf(t: TestContext, code: string, hooks: object = { acme: './acme.js:acme' }): string {
  const files = {
    'acme/plugin.json': manifestOf(hooks),
    'acme/acme.js': code,
    'elsewhere.js': 'export const there = 1;',
  };
  return path.join(pluginFolder(t, files), 'acme');
}

async function problemsIn(folder: string): Promise<readonly string[]> {
  const findings = await isolatedCheck({ folder, others: [] }, 256, () => undefined);
  return findings.flatMap(({ subject, problems }) => problems.map((problem) => `${subject}: ${problem}`));
}

const needing = (name: string, needed: string) =>
  `export const ${name} = { call() {}, dependencies: ['${needed}'] };`;

/** Expects that the check finds only this problem. */
async function finds(folder: string, problem: RegExp): Promise<void> {
  const problems = await problemsIn(folder);
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems.join(), problem);
}

describe('the check finds', { concurrency: 4 }, () => {
  test('nothing in a correct folder with a link and a dynamic import to its own files', async (t) => {
    const folder = folderOf(t, hook('', `import './link.js'; await import('./other.js');`));
    writeFileSync(path.join(folder, 'other.js'), '');
    symlinkSync('other.js', path.join(folder, 'link.js'));
    assert.deepEqual(await problemsIn(folder), []);
  });

  const imports = {
    'a static import': `import '../elsewhere.js';`,
    'a dynamic import': `await import('../else' + 'where.js');`,
    'an import by URL': `await import(new URL('../elsewhere.js', import.meta.url).href);`,
    'an import by absolute path': `await import(import.meta.dirname + '/../elsewhere.js');`,
    'a require': `import { createRequire } from 'node:module'; createRequire(import.meta.url)('../elsewhere.js');`,
  };
  for (const [what, code] of Object.entries(imports))
    test(`${what} that leaves the folder`, async (t) => {
      await finds(
        folderOf(t, hook('', code)),
        /acme\.js imports .*, which is outside of the plugin's folder: .*\/elsewhere\.js/,
      );
    });

  test('an import through a link that leaves the folder, and the link', async (t) => {
    const folder = folderOf(t, hook('', `import './link.js';`));
    symlinkSync('../elsewhere.js', path.join(folder, 'link.js'));
    const problems = await problemsIn(folder);
    assert.match(
      problems.join('\n'),
      /link\.js is a link that leads out of the plugin's folder, to .*elsewhere\.js/,
    );
    assert.match(problems.join('\n'), /acme\.js imports \.\/link\.js, which is outside/);
  });

  test('an import of an internal file of the daemon', async (t) => {
    const inside = new URL('../../../../daemon/lib/uuid.ts', import.meta.url).href;
    await finds(
      folderOf(t, hook('', `import '${inside}';`)),
      /which is outside of the plugin's folder: .*lib\/uuid\.ts/,
    );
  });

  test("a plugin's file that every user of the host may change", async (t) => {
    const folder = folderOf(t, hook());
    chmodSync(path.join(folder, 'acme.js'), 0o666);
    await finds(folder, /files of the folder: .*acme\.js is writable by every user/);
  });

  test('pipes and devices in the folder, without opening them', async (t) => {
    const folder = folderOf(t, hook());
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    await finds(folder, /pipe is a pipe; a plugin consists of files and folders/);
    if (process.getuid?.() !== 0) return;
    execFileSync('mknod', [path.join(folder, 'zero'), 'c', '1', '5']);
    assert.match((await problemsIn(folder)).join(), /zero is a device/);
  });

  test('hooks that depend on each other in a circle', async (t) => {
    const code = [
      needing('a', 'acme_b'),
      needing('b', 'acme-c'),
      needing('c', 'acme-a'),
      needing('d', 'acme-a'),
    ].join('\n');
    const entries = ['a', 'b', 'c', 'd'].map((name) => [`acme-${name}`, `./acme.js:${name}`]);
    const problems = await problemsIn(folderOf(t, code, Object.fromEntries(entries) as object));
    assert.equal(problems.length, 3, problems.join('\n'));
    assert.match(problems[0] ?? '', /hooks acme-a: depends on itself: acme-a -> acme-b -> acme-c -> acme-a/);
  });

  test('a dependency that no plugin provides, and suggests the hook with the most similar name', async (t) => {
    const code = `export const a = { call() {} };\nexport const b = { call() {}, dependencies: ['acme-portz'] };`;
    await finds(
      folderOf(t, code, { 'acme-ports': './acme.js:a', 'acme-b': './acme.js:b' }),
      /hooks acme-b: depends on the hook acme-portz, which no plugin provides\. Did you mean acme-ports\?/,
    );
  });

  test('a key that a hook sets and the daemon would not store, and suggests the most similar key', async (t) => {
    const problems = await problemsIn(
      folderOf(t, hook(`preprocess(draft) { draft.node.resource_clas = 'large'; },`)),
    );
    assert.match(
      problems.join(),
      /draft\.node\.resource_clas would not be stored: .* Did you mean resource_class\?/,
    );
  });
});

test("a plugin's own tests are ended when they take too long, even in an endless loop", async (t) => {
  const folder = folderOf(t, hook());
  writeFileSync(path.join(folder, 'acme.test.js'), 'for (;;);');
  const { passed, report } = await runOwnTests(folder, 1);
  assert.equal(passed, false);
  assert.match(report, /Its tests have not ended within 1 s/);
});
