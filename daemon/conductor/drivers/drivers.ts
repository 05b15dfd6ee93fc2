// Describes the enabled drivers (hardware types and classic drivers) for the API.
import { fault } from '../../model/faults.ts';
import { byInterfaceType, interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { Driver } from '../../plugin-api/index.ts';
import { acceptedDefault, type HardwareType } from '../../plugin-host/enabled-types.ts';
import type { DriverServices } from './services.ts';

interface DescribedInterfaces extends Pick<HardwareType, 'enabled'> {
  readonly defaults: Readonly<Record<InterfaceType, string | null>>;
}

/** `interfaces` is null for a classic driver, whose nodes cannot choose interfaces. */
export interface DriverDescription {
  readonly name: string;
  readonly interfaces: DescribedInterfaces | null;
  readonly hosts: readonly string[];
  /** Descriptions by driver_info field name, for the driver's default interfaces. */
  readonly properties: Readonly<Record<string, string>>;
}

export function listDrivers(services: DriverServices): readonly DriverDescription[] {
  return driverNames(services).map((name) => describeDriver(services, name));
}

/** Returns the names of all enabled drivers. */
export const driverNames = ({ registry }: DriverServices): readonly string[] => [
  ...registry.hardwareTypes.keys(),
  ...registry.classicDrivers.keys(),
];

/** Returns the interface that nodes of the driver get by default, if any. Throws DriverNotFound. */
export function defaultInterface<T extends InterfaceType>(
  { registry }: DriverServices,
  driver: string,
  type: T,
): Driver[T] | undefined {
  const classic = registry.classicDrivers.get(driver);
  const hardwareType = registry.hardwareTypes.get(driver);
  if (classic === undefined && hardwareType === undefined) throw fault('DriverNotFound', { driver });
  const name = hardwareType && acceptedDefault(hardwareType, type);
  const found = classic?.[type] ?? registry.interfaces.get(`${type}:${name}`);
  return found as Driver[T] | undefined;
}

/** Throws DriverNotFound. */
export function describeDriver(services: DriverServices, name: string): DriverDescription {
  const properties = interfaceTypes.flatMap((type) =>
    Object.entries(defaultInterface(services, name, type)?.properties ?? {}),
  );
  const described = properties.map(([field, spec]) => [
    field,
    `${spec.description} ${spec.required ? 'Required.' : 'Optional.'}`,
  ]);
  const type = services.registry.hardwareTypes.get(name);
  return {
    name,
    interfaces: type === undefined ? null : describedInterfaces(type),
    hosts: [services.host],
    properties: Object.fromEntries(described),
  };
}

const describedInterfaces = (type: HardwareType): DescribedInterfaces => ({
  enabled: type.enabled,
  defaults: byInterfaceType((kind) => acceptedDefault(type, kind) ?? null),
});
