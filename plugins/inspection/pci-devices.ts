// The `pci-devices` hook: counts the PCI devices that match each alias in [inspector] pci_device_alias. If an alias matches any,
// sets the capability with the name of the alias to the count.
import { defineHook, type Configuration, isJsonObject } from '#plugin-api';
import { setCapabilities } from './capabilities.ts';
import { options } from './options.ts';
import { pciDevicesIn, pciId } from './pci-device.ts';

export const pciDevices = defineHook({
  checkConfiguration: aliasesIn,
  call(draft) {
    const aliases = aliasesIn(draft.configuration);
    if (aliases.length === 0) return;
    const devices = pciDevicesIn(draft.pluginData);
    if (devices === undefined) {
      draft.warn(
        'PCI device capabilities unchanged: the ramdisk sent no pci_devices; enable its collector pci-devices.',
      );
      return;
    }
    const ids = devices.map(({ vendor_id: vendor, product_id: product }) => pciId(vendor, product));
    const counts = new Map<string, number>();
    for (const { name, id } of aliases) {
      const count = ids.filter((one) => one === id).length;
      if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    if (counts.size > 0)
      setCapabilities(draft, new Map([...counts].map(([name, count]) => [name, String(count)])));
  },
});

interface Alias {
  readonly name: string;
  readonly id: string;
}

function aliasesIn(configuration: Configuration): readonly Alias[] {
  return options({ configuration }).pci_device_alias.map((text) => {
    const alias = parsed(text);
    if (alias !== undefined) return alias;
    throw new Error(
      `[inspector] pci_device_alias: ${text}: expected an object such as {"vendor_id": "8086", "product_id": "1592", "name": "e810"}`,
    );
  });
}

function parsed(text: string): Alias | undefined {
  const value = jsonOf(text);
  if (!isJsonObject(value) || Object.keys(value).length !== 3) return undefined;
  const { name, vendor_id: vendor, product_id: product } = value;
  const id = pciId(vendor, product);
  return typeof name === 'string' && /^[^:,]+$/.test(name) && id !== undefined ? { name, id } : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
