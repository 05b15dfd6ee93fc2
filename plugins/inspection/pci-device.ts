// Reads the PCI devices reported by the ramdisk's collector pci-devices.
import { isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** Reads them from plugin data, or from an inventory of a BMC. Returns undefined when none were collected. */
export function pciDevicesIn({ pci_devices: devices }: JsonObject): readonly JsonObject[] | undefined {
  return Array.isArray(devices) && devices.length > 0
    ? (devices as readonly Json[]).filter(isJsonObject)
    : undefined;
}

/** Returns `vendor:product` in lower case and without 0x, since notations vary; undefined unless both are text. */
export const pciId = (vendor: Json | undefined, product: Json | undefined): string | undefined =>
  typeof vendor === 'string' && typeof product === 'string'
    ? [vendor, product].map((id) => id.toLowerCase().replace(/^0x/, '')).join(':')
    : undefined;
