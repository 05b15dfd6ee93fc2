// Network interfaces as the hooks hand them on in plugin data.
import {
  type InspectionDraft,
  InspectionError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseMac,
  type PortDraft,
} from '#plugin-api';
import { shown } from './shown.ts';

/** Everything the ramdisk reported of it, and these. */
export interface ReportedInterface extends JsonObject {
  /** Lower-cased colon form. */
  readonly mac_address: string;
  /** The ramdisk booted from it, as far as is known. */
  readonly pxe_enabled: boolean;
}

/** By name. */
export type Interfaces = readonly (readonly [string, ReportedInterface])[];

function isReportedInterface(value: Json): value is ReportedInterface {
  return (
    isJsonObject(value) &&
    typeof value['mac_address'] === 'string' &&
    parseMac(value['mac_address']) === value['mac_address'] &&
    typeof value['pxe_enabled'] === 'boolean'
  );
}

/** What the validate-interfaces hook left. Throws InspectionError when it is not there. */
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
      `Plugin data ${key} is ${shown(found)}, expected network interfaces by name as the validate-interfaces hook leaves them`,
    );
  }
  return interfaces;
}

/** The draft's ports by lower-cased MAC address. */
export const portsByMac = ({ ports }: InspectionDraft): ReadonlyMap<string, PortDraft> =>
  new Map(ports.map((port) => [port.address.toLowerCase(), port]));
