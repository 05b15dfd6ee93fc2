// IP addresses in one canonical spelling, so that they can be compared as strings.
import ipaddr from 'ipaddr.js';

/** Canonical text of an IPv4 or IPv6 address (zone and brackets dropped); undefined when it is none. */
export function canonicalIp(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
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

/** Canonical text of the 4 or 16 octets of an address; undefined for any other number of them. */
export function ipOfOctets(octets: Uint8Array): string | undefined {
  return octets.length === 4 || octets.length === 16
    ? ipaddr.process(ipaddr.fromByteArray([...octets]).toString()).toString()
    : undefined;
}

/**
 * Tells whether an address in canonical spelling lies in the network `cidr` (`10.0.0.0/24`). Undefined when that is no
 * network, or has bits set beyond its prefix.
 */
export function networkTest(cidr: string): ((canonical: string) => boolean) | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  const network = ipaddr.parse(canonical);
  const prefix = Number(length);
  if (prefix > network.toByteArray().length * 8) return undefined;
  const isMember = (other: string) => {
    const member = ipaddr.parse(other);
    return member.kind() === network.kind() && member.match(network, prefix);
  };
  const family = network.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return family.networkAddressFromCIDR(`${canonical}/${prefix}`).toString() === canonical
    ? isMember
    : undefined;
}
