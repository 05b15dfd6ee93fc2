// A node's driver: which interfaces it uses, and the objects that implement them.
import { fault } from '../model/faults.ts';
import {
  type InterfaceField,
  interfaceField,
  interfaceTypes,
  type InterfaceType,
} from '../model/interface-types.ts';
import type { Driver, DriverInterface } from '../plugin-api/index.ts';
import type { HardwareType, Registry } from './registry.ts';

export type InterfaceNames = Readonly<Record<InterfaceField, string>>;
export type WantedInterfaces = Readonly<Partial<Record<InterfaceField, string | null>>>;

/** Throws NoValidDriver when the hardware type is not enabled. */
export function hardwareTypeOf(registry: Registry, driver: string): HardwareType {
  const type = registry.hardwareTypes.get(driver);
  if (type === undefined) {
    throw fault('NoValidDriver', { driver, enabled: [...registry.hardwareTypes.keys()].join(', ') });
  }
  return type;
}

/**
 * The interface of each type for a node of hardware type `driver`: the wanted one, else the default. Throws
 * NoValidDriver, InterfaceNotFound, IncompatibleInterface or NoDefaultInterface.
 */
export function resolveInterfaces(
  registry: Registry,
  driver: string,
  wanted: WantedInterfaces,
): InterfaceNames {
  const type = hardwareTypeOf(registry, driver);
  return Object.fromEntries(
    interfaceTypes.map((kind) => {
      const name = wanted[interfaceField(kind)];
      return [
        interfaceField(kind),
        name === null || name === undefined ? defaultOf(type, kind) : checked(registry, type, kind, name),
      ];
    }),
  ) as InterfaceNames;
}

function defaultOf(type: HardwareType, kind: InterfaceType): string {
  const name = type.defaults[kind];
  if (name === undefined) {
    throw fault('NoDefaultInterface', {
      type: kind,
      driver: type.name,
      supported: type.supported[kind].join(', '),
    });
  }
  return name;
}

function checked(registry: Registry, type: HardwareType, kind: InterfaceType, name: string): string {
  if (!registry.enabledInterfaces[kind].includes(name)) {
    throw fault('InterfaceNotFound', {
      type: kind,
      name,
      valid: registry.enabledInterfaces[kind].join(', '),
    });
  }
  if (!type.enabled[kind].includes(name)) {
    throw fault('IncompatibleInterface', {
      type: kind,
      name,
      driver: type.name,
      valid: type.enabled[kind].join(', '),
    });
  }
  return name;
}

/** Composes drivers; nodes with the same interfaces share one object. */
export function createComposer(registry: Registry): (driver: string, wanted: WantedInterfaces) => Driver {
  const composed = new Map<string, Driver>();
  return (driver, wanted) => {
    const names = resolveInterfaces(registry, driver, wanted);
    const key = Object.values(names).join('\n');
    const known = composed.get(key) ?? compose(registry, names);
    composed.set(key, known);
    return known;
  };
}

function compose(registry: Registry, names: InterfaceNames): Driver {
  const instance = (kind: InterfaceType): DriverInterface | undefined =>
    registry.interfaces.get(`${kind}:${names[interfaceField(kind)]}`);
  return Object.freeze(
    Object.fromEntries(interfaceTypes.map((kind) => [kind, instance(kind)])),
  ) as unknown as Driver;
}
