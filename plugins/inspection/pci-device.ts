// The machine's PCI devices as the ramdisk's collector pci-devices reports them.
import { type InspectionDraft, isJsonObject, type Json, type JsonObject } from '#plugin-api';

/** Undefined when none were collected. */
export function pciDevicesOf({ pluginData }: InspectionDraft): readonly JsonObject[] | undefined {
  const { pci_devices: devices } = pluginData;
  return Array.isArray(devices) && devices.length > 0
    ? (devices as readonly Json[]).filter(isJsonObject)
    : undefined;
}

/** Vendor and product in one, in lower case: numbers are written either way. */
export const pciId = (vendor: Json | undefined, product: Json | undefined): string | undefined =>
  typeof vendor === 'string' && typeof product === 'string'
    ? `${vendor}:${product}`.toLowerCase()
    : undefined;
