// Plugins written to a folder of their own, and the registry that is loaded from there.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readConfigWithPlugins } from '../../../daemon/plugin-host/configured-plugins.ts';
import { loadRegistry } from '../../../daemon/plugin-host/registry.ts';
import { resolvePluginApi } from '../../../daemon/plugin-host/resolve-plugin-api.ts';

resolvePluginApi();

/** Files of plugins by their path below the search path. */
export type Tree = Readonly<Record<string, string | object>>;

export function searchPath(t: TestContext, tree: Tree): string {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-plugins-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return directory;
}

export async function load(t: TestContext, tree: Tree, options: Readonly<Record<string, string>> = {}) {
  const directory = searchPath(t, tree);
  const { discovery, config } = readConfigWithPlugins({
    configFile: undefined,
    environment: {
      IRONIC_PLUGINS__PATH: directory,
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'acme',
      IRONIC_DEFAULT__STATE_PATH: directory,
      ...options,
    },
  });
  return { registry: await loadRegistry(discovery, config), directory, discovery };
}

export const manifest = (more: object, name = 'acme') => ({
  name,
  version: '1.0.0',
  pluginApi: '^1.0',
  summary: 'Acme',
  ...more,
});
export const power = { 'ironic.hardware.interfaces.power': { acme: './power.ts:acmePower' } };
export const acme = manifest({
  entryPoints: power,
  hardwareTypes: { acme: { extends: 'fake-hardware', supported: { power: ['acme', '...'] } } },
});
export const source = `import { definePower } from '#plugin-api';
export const acmePower = definePower({
  properties: {}, supportedTargets: [], supportsPowerSync: false, validate() {},
  getPowerState: async () => 'power on', setPowerState: async () => undefined,
});
export const notAnObject = 5;
export const halfAnInterface = { properties: {}, validate() {} };
export const nothing = {};
`;
