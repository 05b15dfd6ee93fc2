// Network interfaces as the hooks pass them on in plugin data.
import {
  type InspectionDraft,
  InspectionError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseMac,
  type PortDraft,
} from '#plugin-api';
import { shown } from '../shown.ts';

/** A network interface: everything that the ramdisk reported about it, and these fields. */
export interface ReportedInterface extends JsonObject {
  /** Lower case, separated by colons. */
  readonly mac_address: string;
  /** Whether the ramdisk is known to have booted from this interface. */
  readonly pxe_enabled: boolean;
}

/** Network interfaces, each with its name. */
export type Interfaces = readonly (readonly [string, ReportedInterface])[];

function isReportedInterface(value: Json): value is ReportedInterface {
  return (
    isJsonObject(value) &&
    typeof value['mac_address'] === 'string' &&
    parseMac(value['mac_address']) === value['mac_address'] &&
    typeof value['pxe_enabled'] === 'boolean'
  );
}

/** Returns the interfaces stored by the validate-interfaces hook. Throws InspectionError if there are none or any is malformed. */
export function interfacesIn(
  { pluginData }: InspectionDraft,
  key: 'all_interfaces' | 'valid_interfaces',
): Interfaces {
  const found = pluginData[key];
  const entries = isJsonObject(found) ? Object.entries(found) : [];
  const interfaces = entries.filter((entry): entry is [string, ReportedInterface] =>
    isReportedInterface(entry[1]),
  );
  if (interfaces.length === 0 || interfaces.length < entries.length) {
    throw new InspectionError(
      `Plugin data ${key} is ${shown(found)}, expected network interfaces by name, as the validate-interfaces hook stores them`,
    );
  }
  return interfaces;
}

/** Returns the node's ports, as the hooks have changed them so far, by lower-case MAC address. */
export const portsByMac = ({ ports }: InspectionDraft): ReadonlyMap<string, PortDraft> =>
  new Map(ports.map((port) => [port.address.toLowerCase(), port]));
