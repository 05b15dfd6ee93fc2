// The entry points of all plugins by group and name. Loads and checks the objects that they name.
import { pathToFileURL } from 'node:url';
import { reasonOf } from '../../model/faults.ts';
import { afterTurns } from '../../lib/limits/after-turns.ts';
import type { Discovery } from './discover.ts';
import { exportProblems } from '../contract/export-problems.ts';
import { importPlugin } from '../import-plugin.ts';
import { blaming } from '../plugin-flaw.ts';
import type { PluginProcesses } from '../isolation/plugin-processes.ts';
import { type EntryPointGroup, entryPointTarget, type Plugin } from './manifest.ts';

export interface Loaded {
  /** The name of the plugin. */
  readonly plugin: string;
  /** The object of the entry point. Its functions run in the process of the plugin, unless `isInside`. */
  readonly value: object;
  /** Whether the plugin's code is loaded in this process. */
  readonly isInside: boolean;
  readonly url: string;
  readonly exported: string;
}

export interface EntryPoints {
  provides(group: EntryPointGroup, name: string): boolean;
  /** The plugin that provides `name`; undefined if none does. */
  owner(group: EntryPointGroup, name: string): Plugin | undefined;
  /** Throws an Error unless a plugin provides `name`. `asked`: the option or hardware type that names it. */
  require(group: EntryPointGroup, name: string, asked: string): void;
  /** Loads the object of the entry point. Throws an Error like `require`, or one that names folder, entry point and cause. */
  load(group: EntryPointGroup, name: string, asked: string): Promise<Loaded>;
}

interface EntryPoint {
  readonly plugin: Plugin;
  readonly target: string;
}

/** `processes`: where plugins from outside the tree are loaded. If it is undefined, this process loads all plugins. */
export function createEntryPoints(
  { plugins, setAside }: Discovery,
  processes?: Pick<PluginProcesses, 'of'>,
): EntryPoints {
  const points = collect(plugins);
  const find = (group: EntryPointGroup, name: string, asked: string): EntryPoint => {
    const point = points.get(`${group}:${name}`);
    if (point !== undefined) return point;
    const known = [...points.keys()]
      .filter((key) => key.startsWith(`${group}:`))
      .map((key) => key.slice(group.length + 1));
    throw new Error(
      `${asked}: no plugin provides ${name} in ${group}. Known: ${known.join(', ')}.${asideText(setAside)}`,
    );
  };
  return {
    provides: (group, name) => points.has(`${group}:${name}`),
    owner: (group, name) => points.get(`${group}:${name}`)?.plugin,
    require: (group, name, asked) => void find(group, name, asked),
    async load(group, name, asked) {
      const point = find(group, name, asked);
      return blaming(point.plugin, () => load(point, { group, name, processes }));
    },
  };
}

/** A text for messages about something that no plugin provides: a plugin that was set aside may provide it. */
export const asideText = (setAside: Discovery['setAside']): string =>
  setAside.map(({ reason }) => ` Set aside: ${reason}.`).join('');

const collect = (plugins: readonly Plugin[]): ReadonlyMap<string, EntryPoint> =>
  new Map(
    plugins.flatMap((plugin) =>
      Object.entries(plugin.manifest.entryPoints ?? {}).flatMap(([group, entries]) =>
        Object.entries(entries).map(([name, target]) => [`${group}:${name}`, { plugin, target }] as const),
      ),
    ),
  );

interface Wanted {
  readonly group: EntryPointGroup;
  readonly name: string;
  readonly processes: Pick<PluginProcesses, 'of'> | undefined;
}

async function load({ plugin, target }: EntryPoint, { group, name, processes }: Wanted): Promise<Loaded> {
  const { file, exported } = entryPointTarget(plugin, target);
  const url = pathToFileURL(file).href;
  const failure = (reason: string, cause?: unknown) =>
    new Error(`${plugin.folder}: entry point ${name} (${target}) ${reason}.`, { cause });
  const isInside = plugin.isInTree || processes === undefined;
  const loading = isInside ? importedObject(url, exported) : processes.of(plugin).load(url, exported);
  const value = await loading.catch((error: unknown) => {
    throw failure(`cannot be loaded: ${reasonOf(error)}`, error);
  });
  if (typeof value !== 'object' || value === null)
    throw failure(`cannot be loaded: ${file} does not export an object named ${exported}`);
  const [problem] = exportProblems(group, value as Readonly<Record<string, unknown>>);
  if (problem !== undefined) throw failure(`does not keep the contract: ${exported} of ${file} ${problem}`);
  return { plugin: plugin.manifest.name, value, isInside, url, exported };
}

async function importedObject(url: string, exported: string): Promise<unknown> {
  return (await withinTime(importPlugin(url)))[exported];
}

const LOADING_SECONDS = 10;

async function withinTime<T>(loading: Promise<T>): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const cancel = afterTurns(LOADING_SECONDS * 1000, () =>
    reject(new Error(`it has not finished loading after ${LOADING_SECONDS} s: its top level waits`)),
  );
  try {
    return await Promise.race([loading, overdue]);
  } finally {
    cancel();
  }
}
