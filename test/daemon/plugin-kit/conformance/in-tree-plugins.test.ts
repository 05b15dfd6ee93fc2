// The built-in plugins pass the conformance check for vendor plugins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discoverPlugins } from '../../../../daemon/plugin-host/manifests/discover.ts';
import { checkPlugin } from '../../../../daemon/plugin-kit/conformance/check-plugin.ts';
import { resolvePluginApi } from '../../../../daemon/plugin-host/resolve-plugin-api.ts';

resolvePluginApi();

const { plugins, setAside } = discoverPlugins([new URL('../../../../plugins', import.meta.url).pathname]);

for (const { folder, manifest } of plugins) {
  test(`the plugin ${manifest.name} conforms`, async () => {
    const findings = await checkPlugin(folder, plugins);
    const entries = Object.values(manifest.entryPoints ?? {}).flatMap((group) => Object.keys(group));
    const types = Object.keys(manifest.hardwareTypes ?? {});
    // one finding for the manifest, and one for each entry point and hardware type, with or without problems
    assert.equal(findings.length, 1 + entries.length + types.length);
    assert.deepEqual(
      findings.filter(({ problems }) => problems.length > 0),
      [],
    );
  });
}

test('no built-in plugin is set aside', () => {
  assert.deepEqual(setAside, []);
});
