// What is enabled: hardware types with their interfaces, and the inspection hooks, loaded and checked at start.
import { pathToFileURL } from 'node:url';
import type { Config } from '../config/core-sections.ts';
import { interfaceTypes, type InterfaceType } from '../model/interface-types.ts';
import type { DriverInterface, InspectionHook } from '../plugin-api/index.ts';
import { reasonOf } from '../model/faults.ts';
import type { Discovery } from './discover.ts';
import { type DeclaredType, expandSupported, type Supported } from './hardware-types.ts';
import { type EntryPointGroup, entryPointTarget, type Plugin } from './manifest.ts';

export interface HardwareType {
  readonly name: string;
  /** Enabled implementations in order of preference. */
  readonly enabled: Supported;
  /** What a node gets that does not choose; undefined when the configured default does not fit this type. */
  readonly defaults: Readonly<Record<InterfaceType, string | undefined>>;
  readonly supported: Supported;
}

export interface HookReference {
  readonly name: string;
  readonly url: string;
  readonly exported: string;
}

export interface Registry {
  /** Enabled hardware types by name. */
  readonly hardwareTypes: ReadonlyMap<string, HardwareType>;
  /** Loaded interface singletons, `type:name`. */
  readonly interfaces: ReadonlyMap<string, DriverInterface>;
  /** Enabled implementation names by interface type. */
  readonly enabledInterfaces: Supported;
  /** `[inspector] hooks`, in order; the workers import them by URL. */
  readonly hooks: readonly HookReference[];
}

interface EntryPoint {
  readonly plugin: Plugin;
  readonly target: string;
}

/** Loads what the configuration enables. Throws one sentence that says what to change. */
export async function loadRegistry(discovery: Discovery, config: Config): Promise<Registry> {
  const points = collectEntryPoints(discovery.plugins);
  const declared = collectHardwareTypes(discovery.plugins);
  const names = config.DEFAULT.enabled_hardware_types;
  if (names.length === 0)
    throw new Error('[DEFAULT] enabled_hardware_types is empty: enable at least one hardware type.');
  const supported = new Map(names.map((name) => [name, supportedBy(name, declared, discovery)]));
  const enabledInterfaces = enabledLists(config, [...supported.values()], points);
  const hardwareTypes = new Map(
    [...supported].map(([name, list]) => [name, hardwareType(name, list, enabledInterfaces, config)]),
  );
  const interfaces = new Map<string, DriverInterface>();
  for (const type of interfaceTypes) {
    for (const name of enabledInterfaces[type]) {
      const loaded = await load(points, `ironic.hardware.interfaces.${type}`, name);
      interfaces.set(`${type}:${name}`, loaded.value as DriverInterface);
    }
  }
  return { hardwareTypes, interfaces, enabledInterfaces, hooks: await loadHooks(points, config) };
}

function collectEntryPoints(plugins: readonly Plugin[]): ReadonlyMap<string, EntryPoint> {
  const points = new Map<string, EntryPoint>();
  for (const plugin of plugins) {
    for (const [group, entries] of Object.entries(plugin.manifest.entryPoints ?? {})) {
      for (const [name, target] of Object.entries(entries)) {
        claim(points, `${group}:${name}`, { plugin, target });
      }
    }
  }
  return points;
}

function collectHardwareTypes(plugins: readonly Plugin[]): ReadonlyMap<string, DeclaredType> {
  const types = new Map<string, DeclaredType>();
  for (const plugin of plugins) {
    for (const [name, manifest] of Object.entries(plugin.manifest.hardwareTypes ?? {})) {
      claim(types, name, { plugin, manifest });
    }
  }
  return types;
}

function claim<T extends { readonly plugin: Plugin }>(taken: Map<string, T>, name: string, value: T): void {
  const other = taken.get(name);
  if (other !== undefined) {
    throw new Error(
      `${name} is provided twice: by ${other.plugin.folder} and by ${value.plugin.folder}. Remove or rename one.`,
    );
  }
  taken.set(name, value);
}

function supportedBy(
  name: string,
  declared: ReadonlyMap<string, DeclaredType>,
  discovery: Discovery,
): Supported {
  if (declared.has(name)) return expandSupported(name, declared);
  const aside = discovery.setAside.map(({ reason }) => ` Set aside: ${reason}.`).join('');
  throw new Error(
    `[DEFAULT] enabled_hardware_types: no plugin provides ${name}. Known: ${[...declared.keys()].toSorted().join(', ')}.${aside}`,
  );
}

// An empty option enables the first choice of every enabled hardware type
function enabledLists(
  config: Config,
  supported: readonly Supported[],
  points: ReadonlyMap<string, EntryPoint>,
): Supported {
  const lists = interfaceTypes.map((type) => {
    const option = config.DEFAULT[`enabled_${type}_interfaces`];
    const first = supported.flatMap((list) => list[type].slice(0, 1));
    const names = [...new Set(option.length > 0 ? option : first)];
    for (const name of names) {
      if (!points.has(`ironic.hardware.interfaces.${type}:${name}`)) {
        throw new Error(
          `[DEFAULT] enabled_${type}_interfaces: no plugin provides a ${type} interface named ${name}.`,
        );
      }
    }
    return [type, names] as const;
  });
  return Object.fromEntries(lists) as unknown as Supported;
}

function hardwareType(
  name: string,
  supported: Supported,
  enabledNames: Supported,
  config: Config,
): HardwareType {
  const enabled = Object.fromEntries(
    interfaceTypes.map((type) => [
      type,
      supported[type].filter((choice) => enabledNames[type].includes(choice)),
    ]),
  ) as unknown as Supported;
  const missing = interfaceTypes.find((type) => enabled[type].length === 0);
  if (missing !== undefined) {
    throw new Error(
      `Hardware type ${name} has no enabled ${missing} interface. Add one of its own (${supported[missing].join(', ') || 'none'}) to [DEFAULT] enabled_${missing}_interfaces, or disable the type.`,
    );
  }
  const defaults = Object.fromEntries(
    interfaceTypes.map((type) => [type, defaultFor(type, enabled, enabledNames, config)]),
  ) as HardwareType['defaults'];
  return { name, enabled, defaults, supported };
}

function defaultFor(
  type: InterfaceType,
  enabled: Supported,
  enabledNames: Supported,
  config: Config,
): string | undefined {
  const chosen = config.DEFAULT[`default_${type}_interface`];
  if (chosen === null) return enabled[type][0];
  if (!enabledNames[type].includes(chosen)) {
    throw new Error(
      `[DEFAULT] default_${type}_interface: ${chosen} is not enabled. Enabled ${type} interfaces: ${enabledNames[type].join(', ')}.`,
    );
  }
  return enabled[type].find((name) => name === chosen);
}

async function loadHooks(
  points: ReadonlyMap<string, EntryPoint>,
  config: Config,
): Promise<readonly HookReference[]> {
  const hooks: HookReference[] = [];
  for (const name of config.inspector.hooks) {
    const loaded = await load(points, 'ironic.inspection.hooks', name);
    const missing = ((loaded.value as InspectionHook).dependencies ?? []).filter(
      (needed) => !hooks.some((hook) => hook.name === needed),
    );
    if (missing.length > 0) {
      throw new Error(`[inspector] hooks: ${name} needs ${missing.join(', ')} before it in the list.`);
    }
    hooks.push({ name, url: loaded.url, exported: loaded.exported });
  }
  return hooks;
}

async function load(points: ReadonlyMap<string, EntryPoint>, group: EntryPointGroup, name: string) {
  const point = points.get(`${group}:${name}`);
  if (point === undefined) {
    const known = [...points.keys()]
      .filter((key) => key.startsWith(`${group}:`))
      .map((key) => key.slice(group.length + 1));
    throw new Error(`No plugin provides ${name} in ${group}. Known: ${known.join(', ')}.`);
  }
  const { file, exported } = entryPointTarget(point.plugin, point.target);
  const url = pathToFileURL(file).href;
  const module = await importFrom(point, url);
  const value = module[exported];
  if (typeof value !== 'object' || value === null) {
    throw new Error(
      `${point.plugin.folder}: entry point ${name} (${point.target}): ${file} does not export an object named ${exported}.`,
    );
  }
  return { value, url, exported };
}

async function importFrom(point: EntryPoint, url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Record<string, unknown>;
  } catch (error) {
    throw new Error(
      `${point.plugin.folder}: entry point ${point.target} cannot be loaded: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}
