// Finds plugins: each folder with a plugin.json directly inside one of the plugin directories.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGIN_API_VERSION } from '../../plugin-api/index.ts';
import { reasonOf } from '../../model/faults.ts';
import type { SectionSource } from '../../config/options.ts';
import { manifestReader, type Plugin } from './manifest.ts';

export interface Discovery {
  readonly plugins: readonly Plugin[];
  /** Folders whose manifest is invalid. This only matters if something that they provide is enabled. */
  readonly setAside: readonly { readonly folder: string; readonly reason: string }[];
}

/**
 * Reads the plugin folders in `directories`; `inTree` is the one with the daemon's own plugins. Throws an Error for a
 * missing directory; a broken plugin is set aside.
 */
export function discoverPlugins(directories: readonly string[], inTree?: string): Discovery {
  const read = manifestReader(PLUGIN_API_VERSION);
  const plugins: Plugin[] = [];
  const setAside: { folder: string; reason: string }[] = [];
  for (const directory of directories) {
    for (const folder of foldersIn(directory)) {
      try {
        plugins.push(read({ folder, isInTree: directory === inTree }));
      } catch (error) {
        setAside.push({ folder, reason: reasonOf(error) });
      }
    }
  }
  return { plugins, setAside };
}

function foldersIn(directory: string): string[] {
  if (!existsSync(directory)) {
    throw new Error(
      `[plugins] path: the directory ${directory} does not exist. Create it or remove it from the option.`,
    );
  }
  return readdirSync(directory, { withFileTypes: true })
    .map((entry) => join(directory, entry.name))
    .filter((folder) => existsSync(join(folder, 'plugin.json')))
    .toSorted();
}

/** Returns the configuration sections that the plugins declare. */
export function pluginSections(plugins: readonly Plugin[]): readonly SectionSource[] {
  return plugins.map(({ manifest }) => ({
    declaredBy: `plugin ${manifest.name}`,
    sections: manifest.configuration ?? {},
  }));
}
