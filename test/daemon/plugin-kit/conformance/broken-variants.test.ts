// The check, run as `plugin check` runs it, finds every variant whose defect is in the plugin's folder. It blames no sound plugin.
import assert from 'node:assert/strict';
import { chownSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { isolatedCheck } from '../../../../daemon/plugin-kit/conformance/isolated-check.ts';
import { discoverPlugins } from '../../../../daemon/plugin-host/manifests/discover.ts';
import { newPlugin } from '../../../../daemon/plugin-kit/tools/new-plugin.ts';
import { pluginFolder } from '../../../fakes/plugin-folder.ts';
import { vendorPlugin } from '../../../fakes/vendor-plugin.ts';
import { variants } from '../../plugin-host/broken-variants.ts';

const MEMORY_MEBIBYTES = 256;
const NOBODY = 65_534;

const inTree = path.join(import.meta.dirname, '../../../../plugins');
const { plugins } = discoverPlugins([inTree], inTree);

async function problemsOf(folder: string): Promise<readonly string[]> {
  const findings = await isolatedCheck({ folder, others: plugins }, MEMORY_MEBIBYTES, () => undefined);
  return findings.flatMap(({ subject, problems }) => problems.map((problem) => `${subject}: ${problem}`));
}

// concurrently, because one of the variants waits until its import times out
describe('the check in a process', { concurrency: 4 }, () => {
  for (const { what, files, prepare, ...expected } of variants) {
    const sentence = 'checked' in expected ? expected.checked : expected.sentence;
    if (sentence === undefined) continue;
    test(`finds ${what}`, async (t) => {
      const searchPath = vendorPlugin(t, files);
      prepare?.(searchPath);
      const problems = await problemsOf(path.join(searchPath, 'rackpower'));
      const text = problems.join('\n');
      assert.match(text, sentence);
      // at most two problems: that of an entry, and that of the file that the entry names
      assert.ok(problems.length <= 2, text);
    });
  }

  test('finds code that belongs to another user', { skip: process.getuid?.() !== 0 }, async (t) => {
    const folder = path.join(vendorPlugin(t), 'rackpower');
    chownSync(path.join(folder, 'power.ts'), NOBODY, NOBODY);
    assert.match(
      (await problemsOf(folder)).join(),
      /power\.ts belongs to the user 65534, neither to root nor to the daemon's user; run: chown root/,
    );
  });

  test('finds nothing in the unbroken plugin', async (t) => {
    assert.deepEqual(await problemsOf(path.join(vendorPlugin(t), 'rackpower')), []);
  });

  test("finds nothing in the tutorial's plugin", async (t) => {
    assert.deepEqual(await problemsOf(newPlugin('acme', pluginFolder(t, {}))), []);
  });

  for (const { folder, manifest } of plugins)
    test(`finds nothing in the plugin ${manifest.name} of the tree`, async () => {
      assert.deepEqual(await problemsOf(folder), []);
    });
});
