// The machine's PCI devices as the ramdisk's collector pci-devices reports them.
import { isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** In plugin data, or in an inventory that came from a BMC. Undefined when none were collected. */
export function pciDevicesIn({ pci_devices: devices }: JsonObject): readonly JsonObject[] | undefined {
  return Array.isArray(devices) && devices.length > 0
    ? (devices as readonly Json[]).filter(isJsonObject)
    : undefined;
}

/** Vendor and product in one, in lower case and without 0x: numbers are written either way. */
export const pciId = (vendor: Json | undefined, product: Json | undefined): string | undefined =>
  typeof vendor === 'string' && typeof product === 'string'
    ? [vendor, product].map((id) => id.toLowerCase().replace(/^0x/, '')).join(':')
    : undefined;
