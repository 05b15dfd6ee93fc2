// Reads and checks plugin.json, before any of the plugin's code is loaded.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { SectionSchemas } from '../../config/section-schema.ts';
import type { InterfaceType } from '../../model/machine/interface-types.ts';
import { reasonOf } from '../../model/faults.ts';
import { manifestCheck, parsedManifest } from './manifest-flaw.ts';

export type EntryPointGroup =
  | `ironic.hardware.interfaces.${InterfaceType}`
  | 'ironic.inspection.hooks'
  | 'ironic.drivers';

export interface HardwareTypeManifest {
  readonly extends?: string;
  /** Interface names in order of preference; `...` stands for the interfaces of the hardware type in `extends`. */
  readonly supported: Readonly<Partial<Record<InterfaceType, readonly string[]>>>;
  /** Whether nodes may use any enabled interface, for experiments. Not inherited. */
  readonly acceptsAny?: true;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly pluginApi: string;
  readonly summary: string;
  readonly entryPoints?: Readonly<Partial<Record<EntryPointGroup, Readonly<Record<string, string>>>>>;
  readonly hardwareTypes?: Readonly<Record<string, HardwareTypeManifest>>;
  readonly configuration?: SectionSchemas;
}

/** A plugin's folder with its valid manifest. */
export interface Plugin extends ManifestSource {
  readonly manifest: Manifest;
}

export interface ManifestSource {
  /** The plugin's folder. */
  readonly folder: string;
  /** Whether the plugin is part of the daemon, whose tests already check it. */
  readonly isInTree: boolean;
}

/**
 * Returns a function that reads a manifest and checks whether its `pluginApi` admits `apiVersion`. A manifest that is not in-tree
 * is also checked against the schema, which is compiled when the first such manifest is read. The function throws an Error that
 * names folder and cause.
 */
export function manifestReader(apiVersion: string): (source: ManifestSource) => Plugin {
  let check: ReturnType<typeof manifestCheck> | undefined;
  return ({ folder, isInTree }) => {
    const file = join(folder, 'plugin.json');
    const text = readManifest(file);
    const manifest = parsedManifest(file, text);
    if (!isInTree) {
      check ??= manifestCheck();
      check(manifest, file, text);
    }
    const plugin: Plugin = { folder, isInTree, manifest: manifest as Manifest };
    checkApiRange(plugin, apiVersion);
    return plugin;
  };
}

/** The text of plugin.json, without a byte order mark. */
function readManifest(file: string): string {
  try {
    // reading a pipe or a device may never end
    if (!statSync(file).isFile()) throw new Error('it is not a regular file');
    const text = readFileSync(file, 'utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function checkApiRange({ folder, manifest }: Plugin, apiVersion: string): void {
  if (admits(manifest.pluginApi, apiVersion)) return;
  throw new Error(
    `${folder}/plugin.json: pluginApi ${manifest.pluginApi} does not admit this daemon's plugin API ${apiVersion}`,
  );
}

// Caret ranges only: the same major version, and at least the given minor and patch version
function admits(range: string, version: string): boolean {
  const [major, ...wanted] = range.slice(1).split('.').map(Number);
  const [haveMajor, ...have] = version.split('.').map(Number);
  const newer =
    [0, 1].map((at) => (have[at] ?? 0) - (wanted[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return major === haveMajor && newer >= 0;
}

/**
 * Returns file and export of an entry point (`./power.ts:acmePower`). Throws an Error when the file is missing, is not a
 * regular file, or is outside the plugin's folder.
 */
export function entryPointTarget(
  plugin: Plugin,
  entry: string,
): { readonly file: string; readonly exported: string } {
  const [path = '', exported = ''] = entry.split(':');
  const file = resolve(plugin.folder, path);
  const real = realpathOrThrow(plugin, file, entry);
  if (relative(realpathSync(plugin.folder), real).startsWith('..')) {
    throw new Error(`${plugin.folder}: entry point ${entry} leads out of the plugin's folder to ${real}`);
  }
  return { file: real, exported };
}

function realpathOrThrow(plugin: Plugin, file: string, entry: string): string {
  try {
    const real = realpathSync(file);
    if (statSync(real).isFile()) return real;
  } catch (error) {
    throw new Error(`${plugin.folder}: entry point ${entry} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  throw new Error(`${plugin.folder}: entry point ${entry} is not a regular file`);
}
