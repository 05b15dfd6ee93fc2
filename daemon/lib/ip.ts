// IP addresses in one canonical spelling, so that they can be compared as strings.
import ipaddr from 'ipaddr.js';

// an IPv6 address takes 45 characters, its zone the name of an interface
const LONGEST = 100;

/** Canonical text of an IPv4 or IPv6 address (zone and brackets dropped); undefined when it is none. */
export function canonicalIp(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/s, '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare).toString();
}

/** An address that may identify one host: not loopback, not unspecified. */
export function isHostAddress(canonical: string): boolean {
  const range = ipaddr.parse(canonical).range();
  return range !== 'loopback' && range !== 'unspecified';
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

/** What the address is for when it is not that of one machine on a network. */
export const specialUse = (canonical: string): string | undefined =>
  SPECIAL_USES[ipaddr.parse(canonical).range()];

/** Canonical text of the 4 or 16 octets of an address; undefined for any other number of them. */
export function ipOfOctets(octets: Uint8Array): string | undefined {
  return octets.length === 4 || octets.length === 16
    ? ipaddr.process(ipaddr.fromByteArray([...octets]).toString()).toString()
    : undefined;
}

function cidrOf(subnet: string): string {
  const [network = '', mask] = subnet.split(/\/(.*)/s);
  if (mask === undefined) return `${network}/${network.includes(':') ? 128 : 32}`;
  const length = mask.includes(':') === network.includes(':') ? lengthOfMask(mask) : undefined;
  return `${network}/${length ?? mask}`;
}

/** Of 255.255.255.0, or of 0.0.0.255, which access lists have. */
function lengthOfMask(mask: string): number | undefined {
  if (!ipaddr.IPv4.isValidFourPartDecimal(mask) && !ipaddr.IPv6.isValid(mask)) return undefined;
  const octets = ipaddr.parse(mask).toByteArray();
  const bits = octets.map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return lengthOfLead(bits, '1') ?? lengthOfLead(bits, '0');
}

/** How often `digit` stands at the beginning; undefined when it stands elsewhere, too. */
function lengthOfLead(bits: string, digit: '0' | '1'): number | undefined {
  const end = bits.indexOf(digit === '1' ? '0' : '1');
  const length = end === -1 ? bits.length : end;
  return bits.includes(digit, length) ? undefined : length;
}

/** A subnet in CIDR notation (`192.0.2.0/24`), with a netmask (`192.0.2.0/255.255.255.0`), or one address. */
export const isSubnet = (text: string): boolean => text.length <= LONGEST && ipaddr.isValidCIDR(cidrOf(text));

/** Whether the address lies in what `isSubnet`. */
export function isInSubnet(canonical: string, subnet: string): boolean {
  const [network, length] = ipaddr.parseCIDR(cidrOf(subnet));
  const address = ipaddr.parse(canonical);
  return address.kind() === network.kind() && address.match(network, length);
}
