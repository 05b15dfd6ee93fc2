// MAC addresses in canonical form, in lower case with colons, so that they can be compared as strings.

const COLON_FORM = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;

/** Returns the address in lower case, or undefined if `text` is not six colon-separated octets. */
export function parseMac(text: string): string | undefined {
  return COLON_FORM.test(text) ? text.toLowerCase() : undefined;
}

/** Like `parseMac`, but returns undefined also for zero, multicast and broadcast addresses, which no interface has. */
export function parseStationMac(text: string): string | undefined {
  const mac = parseMac(text);
  const isGroup = (Number.parseInt(mac ?? '', 16) & 1) === 1;
  return isGroup || mac === '00:00:00:00:00:00' ? undefined : mac;
}
