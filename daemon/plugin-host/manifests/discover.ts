// Finds plugins: each folder that has a plugin.json and is directly inside one of the plugin directories.
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLUGIN_API_VERSION } from '../../plugin-api/index.ts';
import { reasonOf } from '../../model/faults.ts';
import { type Admission, admitPlugins, type SetAside } from './admit-plugins.ts';
import { manifestReader, type Plugin } from './manifest.ts';
import { distrustOf, distrustWithin } from './untrusted-file.ts';

/** A plugin that was set aside matters only if something that it provides is enabled. */
export type Discovery = Admission;

/**
 * Reads the plugin folders in `directories`; `inTree`: the directory of the daemon's own plugins. A plugin that is broken,
 * unreadable, duplicate or open to changes by others is set aside. So is a directory that cannot be read, or that contains
 * something but no plugin.
 */
export function discoverPlugins(directories: readonly string[], inTree?: string): Discovery {
  const read = manifestReader(PLUGIN_API_VERSION);
  const found: Plugin[] = [];
  const setAside: SetAside[] = [];
  const attempt = (folder: string, take: () => void) => {
    try {
      take();
    } catch (error) {
      setAside.push({ folder, reason: reasonOf(error) });
    }
  };
  for (const directory of directories) {
    attempt(directory, () => {
      const isInTree = directory === inTree;
      if (!isInTree) refuseUntrustedDirectory(directory);
      for (const folder of foldersIn(directory))
        attempt(folder, () => {
          if (!isInTree) refuseUntrusted(folder);
          found.push(read({ folder, isInTree }));
        });
    });
  }
  const admitted = admitPlugins(found);
  return { plugins: admitted.plugins, setAside: [...setAside, ...admitted.setAside] };
}

function refuseUntrusted(folder: string): void {
  const distrust = distrustWithin(folder);
  if (distrust !== undefined) throw new Error(distrust);
}

/** Whoever may write to the directory can add plugins to it. */
function refuseUntrustedDirectory(directory: string): void {
  const distrust = existsSync(directory) ? distrustOf(directory) : undefined;
  if (distrust !== undefined) throw new Error(`[plugins] path: ${distrust}`);
}

function foldersIn(directory: string): readonly string[] {
  const names = namesIn(directory);
  const folders = names.map((name) => join(directory, name)).filter(hasManifest);
  if (folders.length === 0 && names.length > 0) throw new Error(whereInstead(directory, names));
  return folders.toSorted();
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith('.'));
  } catch (error) {
    const isMissing = error instanceof Error && Reflect.get(error, 'code') === 'ENOENT';
    const reason = isMissing ? 'does not exist' : `cannot be read: ${reasonOf(error)}`;
    throw new Error(
      `[plugins] path: the directory ${directory} ${reason}. Create it or remove it from the option.`,
      { cause: error },
    );
  }
}

/**
 * Whether the folder has a plugin.json. Also true for a folder that this process is not allowed to look into, so that reading the
 * folder reports the error.
 */
function hasManifest(folder: string): boolean {
  try {
    return statSync(join(folder, 'plugin.json'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') !== 'ENOTDIR';
  }
}

/** Explains why a directory contains no plugins: the option often names a directory that is one level too high or too low. */
function whereInstead(directory: string, names: readonly string[]): string {
  const holds = `[plugins] path: ${directory} holds no folder with a plugin.json`;
  if (names.includes('plugin.json'))
    return `[plugins] path: ${directory} is a plugin itself; name the directory that holds it, ${dirname(directory)}`;
  const below = names
    .map((name) => join(directory, name))
    .find((inner) => innerNames(inner).some((name) => hasManifest(join(inner, name))));
  return below === undefined ? holds : `${holds}, but ${below} does; name that`;
}

function innerNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Reads the plugin in a folder, which need not be in a plugin directory. Throws an Error that names folder and cause. */
export const readPlugin = (folder: string): Plugin =>
  manifestReader(PLUGIN_API_VERSION)({ folder: realpathSync(folder), isInTree: false });
