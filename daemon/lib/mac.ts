// MAC addresses: the API, ramdisks and boot firmware write them in different ways.

const COLON_FORM = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** Lower-cased colon form, or undefined when `text` is not six colon-separated octets. */
export function parseMac(text: string): string | undefined {
  return COLON_FORM.test(text) ? text.toLowerCase() : undefined;
}

/** As `parseMac`, for the address of one network interface: not zero, and no multicast or broadcast address. */
export function parseStationMac(text: string): string | undefined {
  const mac = parseMac(text);
  const isGroup = (Number.parseInt(mac ?? '', 16) & 1) === 1;
  return isGroup || mac === '00:00:00:00:00:00' ? undefined : mac;
}

/**
 * The MAC in a boot loader's BOOTIF: `01-aa-bb-...` (hardware type first), `aa-bb-...` or `aa:bb:...`.
 * Undefined when there is none.
 */
export function parseBootif(text: string): string | undefined {
  const octets = text.split(/[-:]/);
  return parseMac((octets.length === 7 ? octets.slice(1) : octets).join(':'));
}
