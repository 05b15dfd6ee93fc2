// What is enabled: hardware types with their interfaces, and the inspection hooks, loaded and checked at start.
import type { Config } from '../config/core-sections.ts';
import { interfaceTypes, type InterfaceType } from '../model/interface-types.ts';
import type { DriverInterface } from '../plugin-api/index.ts';
import type { Discovery } from './discover.ts';
import { asideText, claim, createEntryPoints, type EntryPoints } from './entry-points.ts';
import { type DeclaredType, expandSupported, type Supported } from './hardware-types.ts';
import { type HookReference, loadHooks } from './hooks.ts';
import type { Plugin } from './manifest.ts';

export interface HardwareType {
  readonly name: string;
  /** Enabled implementations in order of preference. */
  readonly enabled: Supported;
  /** What a node gets that does not choose; undefined when the configured default does not fit this type. */
  readonly defaults: Readonly<Record<InterfaceType, string | undefined>>;
  readonly supported: Supported;
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

/** Loads what the configuration enables. Throws one sentence that says what to change. */
export async function loadRegistry(discovery: Discovery, config: Config): Promise<Registry> {
  const points = createEntryPoints(discovery);
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
      const loaded = await points.load(
        `ironic.hardware.interfaces.${type}`,
        name,
        `[DEFAULT] enabled_${type}_interfaces`,
      );
      interfaces.set(`${type}:${name}`, loaded.value as DriverInterface);
    }
  }
  return { hardwareTypes, interfaces, enabledInterfaces, hooks: await loadHooks(points, config) };
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

function supportedBy(
  name: string,
  declared: ReadonlyMap<string, DeclaredType>,
  discovery: Discovery,
): Supported {
  if (declared.has(name)) return expandSupported(name, declared);
  throw new Error(
    `[DEFAULT] enabled_hardware_types: no plugin provides ${name}. Known: ${[...declared.keys()].toSorted().join(', ')}.${asideText(discovery.setAside)}`,
  );
}

// An empty option enables the first choice of every enabled hardware type
function enabledLists(config: Config, supported: readonly Supported[], points: EntryPoints): Supported {
  const lists = interfaceTypes.map((type) => {
    const option = config.DEFAULT[`enabled_${type}_interfaces`];
    const first = supported.flatMap((list) => list[type].slice(0, 1));
    const names = [...new Set(option.length > 0 ? option : first)];
    for (const name of names)
      points.require(`ironic.hardware.interfaces.${type}`, name, `[DEFAULT] enabled_${type}_interfaces`);
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
