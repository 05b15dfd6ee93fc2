// IP addresses in canonical form, so that they can be compared as strings, and how URLs have them.
import ipaddr from 'ipaddr.js';

// an IPv6 address has up to 45 characters, and its zone is the name of an interface
const LONGEST = 100;
const ADDRESS_CHARACTERS = /^[\da-fx:.]+$/i;

/**
 * Returns an IPv4 or IPv6 address in canonical form, without zone and brackets. An IPv4-mapped IPv6 address becomes the IPv4
 * address. Undefined for any other text.
 */
export function canonicalIp(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/s, '');
  // ipaddr.js throws and catches an error for any other text, which takes a hundred times as long
  if (!ADDRESS_CHARACTERS.test(bare)) return undefined;
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare).toString();
}

/** Whether the address is neither loopback nor unspecified: on every host, addresses of these two kinds mean that host itself. */
export function isHostAddress(canonical: string): boolean {
  const range = ipaddr.parse(canonical).range();
  return range !== 'loopback' && range !== 'unspecified';
}

/** Returns the part of an address that one host cannot vary: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOfHost(canonical: string): string {
  const address = ipaddr.parse(canonical);
  return address instanceof ipaddr.IPv4 ? canonical : address.parts.slice(0, 4).join(':');
}

/** Returns an address or a host name as a URL has it: IPv6 addresses in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Prepares a URL for a path to be appended. Takes time proportional to the length; a replacement of `/\/+$/` would take time
 * proportional to its square.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

export function isLoopback(canonical: string): boolean {
  return ipaddr.parse(canonical).range() === 'loopback';
}

const SPECIAL_USES: Readonly<Record<string, string>> = {
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
};

/** Returns the special use of the address; undefined if it may be the address of one machine on a network. */
export const specialUse = (canonical: string): string | undefined =>
  SPECIAL_USES[ipaddr.parse(canonical).range()];

export function cidrOf(subnet: string): string {
  const [network = '', mask] = subnet.split(/\/(.*)/s);
  if (mask === undefined) return `${network}/${network.includes(':') ? 128 : 32}`;
  const length = mask.includes(':') === network.includes(':') ? lengthOfMask(mask) : undefined;
  return `${network}/${length ?? mask}`;
}

/** Returns the prefix length of a netmask (255.255.255.0) or of a wildcard mask as in access lists (0.0.0.255). */
function lengthOfMask(mask: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(mask) && !ipaddr.IPv6.isValid(mask)) return undefined;
  const octets = ipaddr.parse(mask).toByteArray();
  const bits = octets.map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return lengthOfLead(bits, '1') ?? lengthOfLead(bits, '0');
}

/** Returns how often `digit` is repeated at the start of `bits`; undefined if it also occurs later. */
function lengthOfLead(bits: string, digit: '0' | '1'): number | undefined {
  const end = bits.indexOf(digit === '1' ? '0' : '1');
  const length = end === -1 ? bits.length : end;
  return bits.includes(digit, length) ? undefined : length;
}

/** Whether `text` is a subnet (`192.0.2.0/24` or `192.0.2.0/255.255.255.0`) or a single address. */
export const isSubnet = (text: string): boolean => text.length <= LONGEST && ipaddr.isValidCIDR(cidrOf(text));

/** Whether the address is in `subnet`, a text that `isSubnet` accepts. */
export function isInSubnet(canonical: string, subnet: string): boolean {
  const [network, length] = ipaddr.parseCIDR(cidrOf(subnet));
  const address = ipaddr.parse(canonical);
  return address.kind() === network.kind() && address.match(network, length);
}
