// IPv4 addresses as 32-bit numbers, as DHCP pools and packets use them.

/** Reads a dotted address in canonical form, without leading zeros; undefined for any other text. */
export function parseIpv4(text: string): number | undefined {
  if (text.length > 15) return undefined;
  const octets = text.split('.').map(Number);
  const address = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  return octets.length === 4 && ipv4Text(address) === text ? address : undefined;
}

/** Returns a text such as `10.0.0.1`. */
export const ipv4Text = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;

/** The netmask of a prefix length, as a number. */
export const netmask = (prefix: number): number => (prefix === 0 ? 0 : (-1 << (32 - prefix)) >>> 0);
