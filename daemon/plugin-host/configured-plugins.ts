// Reads configuration and plugins together: core options say where plugins are, and plugin manifests add options.
import { fileURLToPath } from 'node:url';
import type { LoadedConfig } from '../config/load.ts';
import type { SectionSource } from '../config/options.ts';
import { readConfig } from '../config/read-config.ts';
import { pluginSections } from './manifests/admit-plugins.ts';
import { type Discovery, discoverPlugins } from './manifests/discover.ts';

const IN_TREE = fileURLToPath(new URL('../../plugins', import.meta.url));

/** What in-tree plugins add to the configuration, independent of this machine's configuration. */
export const inTreeSections = (): readonly SectionSource[] =>
  pluginSections(discoverPlugins([IN_TREE], IN_TREE).plugins);

export interface ConfigRequest {
  /** The value of --config-file. */
  readonly configFile: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Finds every plugin on the search path. Reads the core options only, as plugins are not known yet. */
export function findPlugins(request: ConfigRequest): Discovery {
  const { config } = readConfig({ ...request, sections: [] });
  return discoverPlugins([IN_TREE, ...config.plugins.path], IN_TREE);
}

/** Reads core and plugin options. Throws ConfigurationError. */
export function readConfigWithPlugins(
  request: ConfigRequest,
): LoadedConfig & { readonly discovery: Discovery } {
  const discovery = findPlugins(request);
  return { ...readConfig({ ...request, sections: pluginSections(discovery.plugins) }), discovery };
}
