// The enabled hardware types, described for the API.
import { fault } from '../model/faults.ts';
import { interfaceTypes } from '../model/interface-types.ts';
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
  const type = services.registry.hardwareTypes.get(name);
  if (type === undefined) throw fault('DriverNotFound', { driver: name });
  return describe(services, type);
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
