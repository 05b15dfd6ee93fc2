// The driver_info of a node from what an operator types: the address of its BMC and a login.
import { hostInUrl } from '../../lib/network/ip.ts';
import { fault } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { describeDriver } from '../drivers/drivers.ts';
import type { TakeInServices } from './services.ts';

export interface TypedLogin {
  /** An IP address, a host name, or a URL where the driver takes one. */
  readonly address?: string;
  readonly username?: string;
  readonly password?: string;
  /** Whether the certificate of the BMC is verified. Not set: as the driver does. */
  readonly verifyCa?: boolean;
}

const PARTS = ['address', 'username', 'password'] as const;
const REDFISH_ADDRESS = 'redfish_address';

/**
 * Gives what was typed the names that the driver uses, as in `ipmi_address`; leaves out what is empty. Throws DriverNotFound, and
 * InvalidParameter for what the driver does not take.
 */
export function driverInfoOf(
  services: TakeInServices,
  driver: string,
  { verifyCa, ...typed }: TypedLogin,
): JsonObject {
  const properties = Object.keys(describeDriver(services, driver).properties).toSorted(
    (a, b) => a.length - b.length,
  );
  const given = PARTS.map((part) => [part, typed[part]?.trim() ?? ''] as const);
  const info = given
    .filter(([, value]) => value !== '')
    .map(([part, value]) => {
      const property = properties.find((each) => each.endsWith(`_${part}`));
      if (property === undefined)
        throw fault('InvalidParameter', { name: part, reason: `the driver ${driver} takes none` });
      return [property, property === REDFISH_ADDRESS ? withScheme(value) : value] as const;
    });
  return { ...Object.fromEntries(info), ...verification(properties, verifyCa) };
}

const withScheme = (address: string): string =>
  address.includes('//') ? address : `https://${hostInUrl(address)}`;

/** Drivers also have agent_verify_ca, which is not about the BMC. */
function verification(properties: readonly string[], verifyCa: boolean | undefined): JsonObject {
  const address = properties.find((each) => each.endsWith('_address'));
  const property = address?.replace(/_address$/, '_verify_ca');
  return property !== undefined && verifyCa !== undefined && properties.includes(property)
    ? { [property]: verifyCa }
    : {};
}
