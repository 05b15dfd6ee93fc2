// The enabled hardware types, described for the API.
import { fault } from '../model/faults.ts';
import { interfaceTypes, type InterfaceType } from '../model/interface-types.ts';
import type { Driver } from '../plugin-api/index.ts';
import type { HardwareType } from '../plugin-host/registry.ts';
import type { Services } from './services.ts';

export interface DriverDescription extends Pick<HardwareType, 'name' | 'enabled' | 'defaults'> {
  readonly hosts: readonly string[];
  /** driver_info field name -> description, of the default interfaces. */
  readonly properties: Readonly<Record<string, string>>;
}

export function listDrivers(services: Services): readonly DriverDescription[] {
  return [...services.registry.hardwareTypes.values()].map((type) => describe(services, type));
}

/** Throws DriverNotFound. */
export function describeDriver(services: Services, name: string): DriverDescription {
  return describe(services, typeOrFault(services, name));
}

/** What nodes of the driver get that do not choose. Throws DriverNotFound. */
export function defaultInterface<T extends InterfaceType>(
  services: Services,
  driver: string,
  type: T,
): Driver[T] | undefined {
  const { defaults } = typeOrFault(services, driver);
  return services.registry.interfaces.get(`${type}:${defaults[type]}`) as Driver[T] | undefined;
}

function typeOrFault(services: Services, name: string): HardwareType {
  const type = services.registry.hardwareTypes.get(name);
  if (type === undefined) throw fault('DriverNotFound', { driver: name });
  return type;
}

function describe(services: Services, type: HardwareType): DriverDescription {
  const { name, enabled, defaults } = type;
  const properties = interfaceTypes.flatMap((kind) =>
    Object.entries(services.registry.interfaces.get(`${kind}:${defaults[kind]}`)?.properties ?? {}),
  );
  const described = properties.map(([field, spec]) => [
    field,
    `${spec.description} ${spec.required ? 'Required.' : 'Optional.'}`,
  ]);
  return { name, enabled, defaults, hosts: [services.host], properties: Object.fromEntries(described) };
}
