// Composes a node's driver: chooses its interfaces and returns the objects that implement them.
import { Fault, fault } from '../model/faults.ts';
import {
  type InterfaceField,
  interfaceField,
  interfaceFields,
  interfaceTypes,
  type InterfaceType,
} from '../model/machine/interface-types.ts';
import { AUTODETECT, detectedDeployInterface } from '../model/machine/deploy-detection.ts';
import type { Node } from '../model/records/node.ts';
import type { Driver, DriverInterface } from '../plugin-api/index.ts';
import { acceptedDefault, type HardwareType } from './enabled-types.ts';
import type { Registry } from './registry.ts';

export type InterfaceNames = Readonly<Record<InterfaceField, string | null>>;
export type WantedInterfaces = Readonly<Partial<Record<InterfaceField, string | null>>>;

/**
 * Returns the name of the interface of each type for a node of `driver`: the wanted interface, else the default; null for a
 * classic driver. Throws NoValidDriver, InterfaceNotFound, IncompatibleInterface, NoDefaultInterface or InterfaceOfClassicDriver.
 */
export function resolveInterfaces(
  registry: Registry,
  driver: string,
  wanted: WantedInterfaces,
): InterfaceNames {
  const names = registry.classicDrivers.has(driver)
    ? interfaceFields.map((field) => [field, noneOf(driver, field, wanted[field])])
    : resolvedNames(registry, hardwareTypeOf(registry, driver), wanted);
  return Object.fromEntries(names) as InterfaceNames;
}

function resolvedNames(registry: Registry, type: HardwareType, wanted: WantedInterfaces) {
  return interfaceTypes.map((kind) => {
    const field = interfaceField(kind);
    return [field, resolved(registry, type, kind, wanted[field])];
  });
}

function noneOf(driver: string, field: InterfaceField, name: string | null | undefined): null {
  if (name === null || name === undefined) return null;
  throw fault('InterfaceOfClassicDriver', { field, name, driver });
}

function hardwareTypeOf(registry: Registry, driver: string): HardwareType {
  const type = registry.hardwareTypes.get(driver);
  if (type !== undefined) return type;
  const enabled = [...registry.hardwareTypes.keys(), ...registry.classicDrivers.keys()].join(', ');
  throw fault('NoValidDriver', { driver, enabled });
}

function resolved(
  registry: Registry,
  type: HardwareType,
  kind: InterfaceType,
  name: string | null | undefined,
): string {
  if (name === null || name === undefined) return defaultOf(type, kind);
  const enabled = registry.enabledInterfaces[kind];
  if (!enabled.includes(name))
    throw fault('InterfaceNotFound', { type: kind, name, valid: enabled.join(', ') });
  if (type.accepts(kind, name)) return name;
  throw fault('IncompatibleInterface', {
    type: kind,
    name,
    driver: type.name,
    valid: type.enabled[kind].join(', '),
  });
}

function defaultOf(type: HardwareType, kind: InterfaceType): string {
  const name = acceptedDefault(type, kind);
  if (name !== undefined) return name;
  throw fault('NoDefaultInterface', {
    type: kind,
    name: type.defaults[kind],
    driver: type.name,
    valid: type.enabled[kind].join(', '),
  });
}

/**
 * Returns the interfaces chosen in the node's fields. Interfaces in `instance_info` take precedence, and the deploy interface
 * `autodetect` is replaced by one of `autodetected`.
 */
function wantedInterfaces(node: Node, autodetected: readonly string[]): WantedInterfaces {
  const wanted = chosenInterfaces(node);
  return wanted.deploy_interface === AUTODETECT
    ? { ...wanted, deploy_interface: detectedDeployInterface(autodetected, node) ?? null }
    : wanted;
}

function chosenInterfaces(node: Pick<Node, 'instance_info' | InterfaceField>): WantedInterfaces {
  return Object.fromEntries(
    interfaceFields.map((field) => {
      const ofInstance = node.instance_info[field];
      return [field, typeof ofInstance === 'string' ? ofInstance : node[field]];
    }),
  );
}

/**
 * Returns a function that composes a node's driver; nodes with the same driver and the same chosen interfaces share one object.
 * The function throws NoValidDriver for a driver that is not enabled.
 */
export function createComposer(registry: Registry, autodetected: readonly string[]): (node: Node) => Driver {
  const composed = new Map<string, Driver>();
  return (node) => {
    const wanted = wantedInterfaces(node, autodetected);
    const key = [node.driver, ...Object.values(wanted)].join('\n');
    const driver = composed.get(key) ?? compose(registry, node.driver, wanted);
    composed.set(key, driver);
    return driver;
  };
}

function compose(registry: Registry, driver: string, wanted: WantedInterfaces): Driver {
  const classic = registry.classicDrivers.get(driver);
  if (classic !== undefined) {
    return assembled((kind) => {
      const own = classic[kind];
      if (own === undefined) throw fault('UnsupportedDriverExtension', { driver, extension: kind });
      return own;
    });
  }
  const type = hardwareTypeOf(registry, driver);
  return assembled((kind) => {
    const name = resolved(registry, type, kind, wanted[interfaceField(kind)]);
    return registry.interfaces.get(`${kind}:${name}`);
  });
}

/** Returns the driver's interface of the type, or undefined when the driver has no usable interface of that type. */
export function availableInterface<T extends InterfaceType>(driver: Driver, type: T): Driver[T] | undefined {
  try {
    return driver[type];
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

// getters, so that only the operations that use an unavailable interface fail
function assembled(pick: (kind: InterfaceType) => DriverInterface | undefined): Driver {
  const picked = new Map<InterfaceType, DriverInterface | undefined>();
  const get = (kind: InterfaceType) => {
    if (!picked.has(kind)) picked.set(kind, pick(kind));
    return picked.get(kind);
  };
  const getters = interfaceTypes.map((kind) => [kind, { enumerable: true, get: () => get(kind) }]);
  return Object.freeze(
    Object.defineProperties({}, Object.fromEntries(getters) as PropertyDescriptorMap),
  ) as Driver;
}
