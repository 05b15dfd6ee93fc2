// Loads and checks the enabled drivers, their interfaces and the inspection hooks, at start and when a plugin is reloaded.
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import { byInterfaceType, interfaceTypes, type InterfaceType } from '../model/machine/interface-types.ts';
import type { ClassicDriver, Configuration, DriverInterface, InspectInterface } from '../plugin-api/index.ts';
import type { Discovery } from './manifests/discover.ts';
import { createEntryPoints, type EntryPoints } from './manifests/entry-points.ts';
import { type HardwareType, hardwareTypesOf, type Supported } from './enabled-types.ts';
import { guard, type GuardedBy } from './contract/guard.ts';
import { Leases } from './contract/leases.ts';
import { type IsolatedHook } from './hook-phases.ts';
import { type HookReference, isolatedHooksOf, type LoadedHook, loadHooks } from './hooks.ts';
import type { PluginProcesses } from './isolation/plugin-processes.ts';
import { checkIntervals } from './intervals.ts';
import { loadInterface } from './load-interface.ts';

/** The interfaces of a classic driver; a type with the value undefined is not supported. */
export type ClassicInterfaces = Readonly<Record<InterfaceType, DriverInterface | undefined>>;

export interface Registry {
  /** Enabled hardware types by name. */
  readonly hardwareTypes: ReadonlyMap<string, HardwareType>;
  /** Enabled classic drivers by name. */
  readonly classicDrivers: ReadonlyMap<string, ClassicInterfaces>;
  /** The loaded interfaces of the hardware types, keyed by `type:name`. */
  readonly interfaces: ReadonlyMap<string, DriverInterface>;
  /** Names of the enabled interfaces by type. */
  readonly enabledInterfaces: Supported;
  /** The hooks that `[inspector] hooks` names, in the order in which they run. */
  readonly hooks: readonly HookReference[];
  /** Some inspect interfaces take their hooks from an option of their own: the hooks in each such option, by `[section] option`. */
  readonly ownHooks: ReadonlyMap<string, readonly HookReference[]>;
  /** The hooks that run in the processes of their plugins, by name, whichever option lists them. */
  readonly isolatedHooks: ReadonlyMap<string, IsolatedHook>;
}

/**
 * Loads the plugin code that the configuration enables; out-of-tree plugins are loaded in `processes`. Throws an Error that says
 * what to change.
 */
export async function loadRegistry(
  discovery: Discovery,
  config: Config,
  clock: Clock,
  processes?: Pick<PluginProcesses, 'of'>,
): Promise<Registry> {
  const points = createEntryPoints(discovery, processes);
  const { hardwareTypes, enabledInterfaces } = hardwareTypesOf(discovery, config, points);
  const by: GuardedBy = { clock, timeoutSeconds: config.plugins.operation_timeout, leases: new Leases() };
  const used = interfaceTypes.flatMap((type) =>
    enabledInterfaces[type]
      .filter((name) => hardwareTypes.values().some((one) => one.accepts(type, name)))
      .map((name) => ({ type, name })),
  );
  const interfaces = new Map<string, DriverInterface>();
  for (const { type, name } of used) {
    const asked = `[DEFAULT] enabled_${type}_interfaces`;
    interfaces.set(`${type}:${name}`, await loadInterface(points, { type, name, asked }, by));
  }
  const classicDrivers = await loadClassicDrivers(points, config, by);
  const ofClassicDrivers = classicDrivers.values().flatMap((driver) => Object.values(driver));
  for (const one of [...interfaces.values(), ...ofClassicDrivers]) checkIntervals(one, config);
  const list = { names: config.inspector.hooks, label: '[inspector] hooks' };
  const hooks = await loadHooks(points, list, config);
  const inspecting = [...interfaces.values(), ...classicDrivers.values().map(({ inspect }) => inspect)];
  const ownHooks = await loadOwnHooks(points, inspecting, config);
  return {
    hardwareTypes,
    classicDrivers,
    interfaces,
    enabledInterfaces,
    hooks: referencesOf(hooks),
    ownHooks: new Map([...ownHooks].map(([label, own]) => [label, referencesOf(own)])),
    isolatedHooks: isolatedHooksOf([...hooks, ...[...ownHooks.values()].flat()]),
  };
}

const referencesOf = (hooks: readonly LoadedHook[]): readonly HookReference[] =>
  hooks.map(({ reference }) => reference);

async function loadClassicDrivers(
  points: EntryPoints,
  config: Config,
  by: GuardedBy,
): Promise<ReadonlyMap<string, ClassicInterfaces>> {
  const drivers = new Map<string, ClassicInterfaces>();
  for (const name of new Set(config.DEFAULT.enabled_drivers)) {
    const { plugin, value } = await points.load('ironic.drivers', name, '[DEFAULT] enabled_drivers');
    const given = value as ClassicDriver;
    const loaded = new Map<InterfaceType, DriverInterface>();
    for (const type of interfaceTypes) {
      const one = given[type];
      const asked = `classic driver ${name}`;
      if (typeof one === 'string')
        loaded.set(type, await loadInterface(points, { type, name: one, asked }, by));
      else if (one !== undefined) loaded.set(type, guard(one, { type, name, plugin }, by));
    }
    drivers.set(
      name,
      byInterfaceType((type) => loaded.get(type)),
    );
  }
  return drivers;
}

async function loadOwnHooks(
  points: EntryPoints,
  interfaces: readonly (DriverInterface | undefined)[],
  config: Configuration,
): Promise<ReadonlyMap<string, readonly LoadedHook[]>> {
  const own = new Map<string, readonly LoadedHook[]>();
  for (const { hooks } of interfaces.filter(
    (one) => one !== undefined,
  ) as readonly Partial<InspectInterface>[]) {
    if (hooks === undefined) continue;
    const { section, option } = hooks;
    const names = config[section]?.[option];
    const label = hooksLabel(hooks);
    if (!Array.isArray(names))
      throw new Error(`${label} must be a list: an inspect interface takes its hooks from this option`);
    own.set(label, await loadHooks(points, { names: names as readonly string[], label }, config));
  }
  return own;
}

/** The option as messages show it. */
export const hooksLabel = ({ section, option }: NonNullable<InspectInterface['hooks']>): string =>
  `[${section}] ${option}`;
