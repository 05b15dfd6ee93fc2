// The enabled hardware types, with their enabled and default interfaces.
import type { Config } from '../config/sections/core-sections.ts';
import { byInterfaceType, interfaceTypes, type InterfaceType } from '../model/machine/interface-types.ts';
import type { Discovery } from './manifests/discover.ts';
import { asideText, type EntryPoints } from './manifests/entry-points.ts';
import type { Losses } from './losses.ts';
import { type DeclaredType, expandSupported, type Supported } from './manifests/hardware-types.ts';
import { flawOf } from './plugin-flaw.ts';

export type { Supported } from './manifests/hardware-types.ts';

export interface HardwareType {
  readonly name: string;
  /** The names of the enabled interfaces that the type supports, in order of preference. */
  readonly enabled: Supported;
  /** The configured default, even if this type does not accept it; the first enabled interface if no default is configured. */
  readonly defaults: Readonly<Record<InterfaceType, string>>;
  readonly supported: Supported;
  /** Whether the interface is enabled, and nodes of the type may use it. */
  accepts(type: InterfaceType, name: string): boolean;
}

/**
 * Returns the name of the interface that a node gets when it names none; undefined when the type does not accept the configured
 * default.
 */
export function acceptedDefault(type: HardwareType, kind: InterfaceType): string | undefined {
  const name = type.defaults[kind];
  return type.accepts(kind, name) ? name : undefined;
}

interface EnabledTypes {
  readonly hardwareTypes: ReadonlyMap<string, HardwareType>;
  readonly enabledInterfaces: Supported;
}

/** Throws an Error that names the option or the hardware type at fault, unless it can be noted in `losses`. */
export function hardwareTypesOf(
  discovery: Discovery,
  config: Config,
  points: EntryPoints,
  losses: Losses,
): EnabledTypes {
  const declared = declaredTypes(discovery);
  const names = config.DEFAULT.enabled_hardware_types;
  if (names.length === 0 && config.DEFAULT.enabled_drivers.length === 0)
    throw new Error('[DEFAULT] enabled_hardware_types is empty: enable at least one hardware type.');
  const known = (name: string) => {
    if (declared.has(name)) return;
    throw new Error(
      `[DEFAULT] enabled_hardware_types: no plugin provides ${name}. Known: ${[...declared.keys()].toSorted().join(', ')}.${asideText(discovery.setAside)}`,
    );
  };
  const found = names.filter((name) => losses.of(() => known(name)) === undefined);
  const supported = new Map(
    found.map((name) => [name, blamed(declared, name, () => expandSupported(name, declared))]),
  );
  const enabledInterfaces = enabledLists(config, { declared, supported }, points, losses);
  const defaults = byInterfaceType((type) => configuredDefault(type, enabledInterfaces, config, losses));
  const hardwareTypes = new Map<string, HardwareType>();
  for (const [name, list] of supported) {
    const acceptsAny = declared.get(name)?.manifest.acceptsAny === true;
    const given = { name, supported: list, acceptsAny };
    losses.of(() => {
      const type = blamed(declared, name, () => hardwareType(given, enabledInterfaces, defaults, config));
      hardwareTypes.set(name, type);
    });
  }
  return { hardwareTypes, enabledInterfaces };
}

type Declared = ReadonlyMap<string, DeclaredType>;

/** What `work` throws is the fault of the plugin that declares the hardware type. */
function blamed<T>(declared: Declared, name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw flawOf(declared.get(name)?.plugin, error);
  }
}

/** Returns the hardware types of all plugins. */
export const declaredTypes = ({ plugins }: Pick<Discovery, 'plugins'>): Declared =>
  new Map(
    plugins.flatMap((plugin) =>
      Object.entries(plugin.manifest.hardwareTypes ?? {}).map(
        ([name, manifest]) => [name, { plugin, manifest }] as const,
      ),
    ),
  );

// If `enabled_TYPE_interfaces` is empty, every interface that an enabled hardware type supports and a plugin provides is enabled.
// The first interface in the list of each hardware type must then be provided by a plugin.
function enabledLists(
  config: Config,
  {
    declared,
    supported,
  }: { readonly declared: Declared; readonly supported: ReadonlyMap<string, Supported> },
  points: EntryPoints,
  losses: Losses,
): Supported {
  return byInterfaceType((type) => {
    const option = `enabled_${type}_interfaces` as const;
    const group = `ironic.hardware.interfaces.${type}` as const;
    const chosen = config.DEFAULT[option];
    if (chosen.length > 0)
      return [...new Set(chosen)].filter(
        (name) => losses.of(() => points.require(group, name, `[DEFAULT] ${option}`)) === undefined,
      );
    const all = [...supported].flatMap(([owner, list]) => {
      const [first] = list[type];
      if (first !== undefined)
        blamed(declared, owner, () => points.require(group, first, `hardware type ${owner}`));
      return list[type].filter((name) => points.provides(group, name));
    });
    return [...new Set(all)];
  });
}

function hardwareType(
  {
    name,
    supported,
    acceptsAny,
  }: Pick<HardwareType, 'name' | 'supported'> & { readonly acceptsAny: boolean },
  enabledNames: Supported,
  configured: Readonly<Record<InterfaceType, string | null>>,
  config: Config,
): HardwareType {
  const accepts = (type: InterfaceType, one: string) =>
    enabledNames[type].includes(one) && (acceptsAny || supported[type].includes(one));
  const enabled = byInterfaceType((type) =>
    supported[type].filter((one) => enabledNames[type].includes(one)),
  );
  const missing = interfaceTypes.find((type) => enabled[type].length === 0);
  if (missing !== undefined) {
    throw new Error(
      `Hardware type ${name} has no enabled ${missing} interface. Add one of its own (${supported[missing].join(', ') || 'none'}) to [DEFAULT] enabled_${missing}_interfaces, or disable the type.`,
    );
  }
  const defaults = byInterfaceType((type) => configured[type] ?? preferred(type, enabled[type], config));
  return { name, enabled, defaults, supported, accepts };
}

/** The first interface; for rescue the agent's instead of none, if there is a ramdisk with an agent. */
function preferred(type: InterfaceType, [first = '', ...others]: readonly string[], config: Config): string {
  const rescues =
    type === 'rescue' && first === 'no-rescue' && others.includes('agent') && hasRamdisk(config.conductor);
  return rescues ? 'agent' : first;
}

function hasRamdisk(images: Config['conductor']): boolean {
  const isSet = (name: 'kernel' | 'ramdisk') =>
    (['deploy', 'rescue'] as const).some(
      (use) => images[`${use}_${name}`] !== null || images[`${use}_${name}_by_arch`].length > 0,
    );
  return isSet('kernel') && isSet('ramdisk');
}

/** A default that was lost stays the default, so that new nodes do not silently get another interface. */
function configuredDefault(
  type: InterfaceType,
  enabled: Supported,
  config: Config,
  losses: Losses,
): string | null {
  const option = `default_${type}_interface` as const;
  const chosen = config.DEFAULT[option];
  if (chosen === null || enabled[type].includes(chosen)) return chosen;
  losses.bear(
    new Error(
      `[DEFAULT] ${option}: ${chosen} is not enabled. Enabled ${type} interfaces: ${enabled[type].join(', ')}.`,
    ),
  );
  return chosen;
}
