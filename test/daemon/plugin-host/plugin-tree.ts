// Writes plugins to a new folder and loads the registry with that folder as the search path.
import type { TestContext } from 'node:test';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { readConfigWithPlugins } from '../../../daemon/plugin-host/configured-plugins.ts';
import { loadRegistry } from '../../../daemon/plugin-host/registry.ts';
import { resolvePluginApi } from '../../../daemon/plugin-host/resolve-plugin-api.ts';
import { pluginFolder, type PluginFiles, pluginManifest } from '../../fakes/plugin-folder.ts';

resolvePluginApi();

export async function load(
  t: TestContext,
  files: PluginFiles,
  options: Readonly<Record<string, string>> = {},
) {
  const directory = pluginFolder(t, files);
  const { discovery, config } = readConfigWithPlugins({
    configFile: undefined,
    environment: {
      IRONIC_PLUGINS__PATH: directory,
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'acme',
      IRONIC_DEFAULT__STATE_PATH: directory,
      ...options,
    },
  });
  return { registry: await loadRegistry(discovery, config, systemClock), directory, discovery };
}

export const manifest = (more: object) => pluginManifest('acme', more);
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
export const halfAnInterface = { properties: {}, validate() {}, supportedTargets: [], supportsPowerSync: false };
export const nothing = {};
`;
