// The enabled hardware types, with their enabled and default interfaces.
import type { Config } from '../config/sections/core-sections.ts';
import { byInterfaceType, interfaceTypes, type InterfaceType } from '../model/machine/interface-types.ts';
import type { Discovery } from './manifests/discover.ts';
import { asideText, type EntryPoints } from './manifests/entry-points.ts';
import { type DeclaredType, expandSupported, type Supported } from './manifests/hardware-types.ts';

export type { Supported } from './manifests/hardware-types.ts';

export interface HardwareType {
  readonly name: string;
  /** The names of the enabled interfaces that the type supports, in order of preference. */
  readonly enabled: Supported;
  /** The configured default, even if this type does not accept it; the first enabled interface if no default is configured. */
  readonly defaults: Readonly<Record<InterfaceType, string>>;
  readonly supported: Supported;
  /** Whether nodes of the type may use the interface if it is enabled. */
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

/** Throws an Error that names the option or the hardware type at fault. */
export function hardwareTypesOf(discovery: Discovery, config: Config, points: EntryPoints): EnabledTypes {
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
  names.forEach(known);
  const supported = new Map(names.map((name) => [name, expandSupported(name, declared)]));
  const enabledInterfaces = enabledLists(config, supported, points);
  const hardwareTypes = new Map(
    [...supported].map(([name, list]) => {
      const acceptsAny = declared.get(name)?.manifest.acceptsAny === true;
      return [name, hardwareType({ name, supported: list, acceptsAny }, enabledInterfaces, config)];
    }),
  );
  return { hardwareTypes, enabledInterfaces };
}

/** Returns the hardware types of all plugins. */
export const declaredTypes = ({ plugins }: Pick<Discovery, 'plugins'>): ReadonlyMap<string, DeclaredType> =>
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
  supported: ReadonlyMap<string, Supported>,
  points: EntryPoints,
): Supported {
  return byInterfaceType((type) => {
    const option = `enabled_${type}_interfaces` as const;
    const group = `ironic.hardware.interfaces.${type}` as const;
    const chosen = config.DEFAULT[option].map((name) => ({ name, asked: `[DEFAULT] ${option}` }));
    const all = [...supported].flatMap(([owner, list]) =>
      list[type]
        .filter((name, preference) => preference === 0 || points.provides(group, name))
        .map((name) => ({ name, asked: `hardware type ${owner}` })),
    );
    const asked = chosen.length > 0 ? chosen : all;
    for (const one of asked) points.require(group, one.name, one.asked);
    return [...new Set(asked.map(({ name }) => name))];
  });
}

function hardwareType(
  {
    name,
    supported,
    acceptsAny,
  }: Pick<HardwareType, 'name' | 'supported'> & { readonly acceptsAny: boolean },
  enabledNames: Supported,
  config: Config,
): HardwareType {
  const accepts = (type: InterfaceType, one: string) => acceptsAny || supported[type].includes(one);
  const enabled = byInterfaceType((type) =>
    supported[type].filter((one) => enabledNames[type].includes(one)),
  );
  const missing = interfaceTypes.find((type) => enabled[type].length === 0);
  if (missing !== undefined) {
    throw new Error(
      `Hardware type ${name} has no enabled ${missing} interface. Add one of its own (${supported[missing].join(', ') || 'none'}) to [DEFAULT] enabled_${missing}_interfaces, or disable the type.`,
    );
  }
  const defaults = byInterfaceType(
    (type) => configuredDefault(type, enabledNames, config) ?? enabled[type][0] ?? '',
  );
  return { name, enabled, defaults, supported, accepts };
}

function configuredDefault(type: InterfaceType, enabled: Supported, config: Config): string | null {
  const option = `default_${type}_interface` as const;
  const chosen = config.DEFAULT[option];
  if (chosen === null || enabled[type].includes(chosen)) return chosen;
  throw new Error(
    `[DEFAULT] ${option}: ${chosen} is not enabled. Enabled ${type} interfaces: ${enabled[type].join(', ')}.`,
  );
}
