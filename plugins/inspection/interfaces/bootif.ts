// Reads BOOTIF, the kernel parameter in which boot loaders name the network interface that they used.
import { parseMac } from '#plugin-api';

/**
 * Returns the MAC address in a boot loader's BOOTIF: `01-aa-bb-...` (hardware type first), `aa-bb-...` or `aa:bb:...`;
 * undefined if there is none.
 */
export function parseBootif(text: string): string | undefined {
  const octets = text.split(/[-:]/);
  return parseMac((octets.length === 7 ? octets.slice(1) : octets).join(':'));
}
