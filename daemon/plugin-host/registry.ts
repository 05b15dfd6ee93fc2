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
import { loadInterface } from './load-interface.ts';
import { Losses } from './losses.ts';
import { checkNamedOptions, hookNames, hooksLabel } from './named-options.ts';
import { blaming } from './plugin-flaw.ts';

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
  /** What the configuration names, but is missing because a plugin was set aside: a sentence each. */
  readonly losses: readonly string[];
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
  const losses = new Losses(discovery.setAside);
  const { hardwareTypes, enabledInterfaces } = hardwareTypesOf(discovery, config, points, losses);
  const by: GuardedBy = { clock, timeoutSeconds: config.plugins.operation_timeout, leases: new Leases() };
  const used = interfaceTypes.flatMap((type) =>
    enabledInterfaces[type]
      .filter((name) => hardwareTypes.values().some((one) => one.accepts(type, name)))
      .map((name) => ({ type, name })),
  );
  const interfaces = new Map<string, DriverInterface>();
  for (const { type, name } of used) {
    const asked = `[DEFAULT] enabled_${type}_interfaces`;
    const owner = points.owner(`ironic.hardware.interfaces.${type}`, name);
    const load = async () => checked(await loadInterface(points, { type, name, asked }, by), config);
    interfaces.set(`${type}:${name}`, await blaming(owner, load));
  }
  const classicDrivers = await loadClassicDrivers(points, { config, by, losses });
  const list = { names: config.inspector.hooks, label: '[inspector] hooks' };
  const hooks = await loadHooks(points, list, config, losses);
  const inspecting = [...interfaces.values(), ...classicDrivers.values().map(({ inspect }) => inspect)];
  const ownHooks = await loadOwnHooks(points, inspecting, config, losses);
  return {
    hardwareTypes,
    classicDrivers,
    interfaces,
    enabledInterfaces,
    hooks: referencesOf(hooks),
    ownHooks: new Map([...ownHooks].map(([label, own]) => [label, referencesOf(own)])),
    isolatedHooks: isolatedHooksOf([...hooks, ...[...ownHooks.values()].flat()]),
    losses: losses.sentences,
  };
}

/** Throws an Error if an option that the interface names does not hold what the interface expects. */
function checked<I extends DriverInterface>(one: I, config: Config): I {
  checkNamedOptions(one, config);
  return one;
}

const referencesOf = (hooks: readonly LoadedHook[]): readonly HookReference[] =>
  hooks.map(({ reference }) => reference);

interface Circumstances {
  readonly config: Config;
  readonly by: GuardedBy;
  readonly losses: Losses;
}

async function loadClassicDrivers(
  points: EntryPoints,
  { config, by, losses }: Circumstances,
): Promise<ReadonlyMap<string, ClassicInterfaces>> {
  const drivers = new Map<string, ClassicInterfaces>();
  const asked = '[DEFAULT] enabled_drivers';
  for (const name of new Set(config.DEFAULT.enabled_drivers)) {
    if (losses.of(() => points.require('ironic.drivers', name, asked)) !== undefined) continue;
    const { plugin, value } = await points.load('ironic.drivers', name, asked);
    const load = () => classicInterfaces(points, { name, plugin, given: value }, { config, by });
    drivers.set(name, await blaming(points.owner('ironic.drivers', name), load));
  }
  return drivers;
}

interface Classic {
  readonly name: string;
  readonly plugin: string;
  readonly given: ClassicDriver;
}

async function classicInterfaces(
  points: EntryPoints,
  { name, plugin, given }: Classic,
  { config, by }: Omit<Circumstances, 'losses'>,
): Promise<ClassicInterfaces> {
  const loaded = new Map<InterfaceType, DriverInterface>();
  for (const type of interfaceTypes) {
    const one = given[type] ?? implied[type];
    const wanted = { type, name: typeof one === 'string' ? one : name, asked: `classic driver ${name}` };
    if (typeof one === 'string') loaded.set(type, checked(await loadInterface(points, wanted, by), config));
    else if (one !== undefined) loaded.set(type, checked(guard(one, { type, name, plugin }, by), config));
  }
  return byInterfaceType((type) => loaded.get(type));
}

/** The interfaces of classic drivers that have none of these types, without which no node can be made available. */
const implied: Readonly<Partial<Record<InterfaceType, string>>> = { network: 'noop', storage: 'noop' };

async function loadOwnHooks(
  points: EntryPoints,
  interfaces: readonly (DriverInterface | undefined)[],
  config: Configuration,
  losses: Losses,
): Promise<ReadonlyMap<string, readonly LoadedHook[]>> {
  const own = new Map<string, readonly LoadedHook[]>();
  for (const one of interfaces) {
    const { hooks } = (one ?? {}) as Partial<InspectInterface>;
    if (hooks === undefined) continue;
    const label = hooksLabel(hooks);
    const list = { names: hookNames(hooks, config), label };
    own.set(label, await loadHooks(points, list, config, losses));
  }
  return own;
}
