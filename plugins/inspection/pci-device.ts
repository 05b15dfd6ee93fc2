// Reads the PCI devices that the ramdisk's collector pci-devices or a BMC reports.
import { isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** Returns the PCI devices in plugin data, or in an inventory from a BMC; undefined when none were collected. */
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
