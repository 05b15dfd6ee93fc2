// IP addresses in one canonical spelling, so that they can be compared as strings.
import ipaddr from 'ipaddr.js';

/** Canonical text of an IPv4 or IPv6 address (zone and brackets dropped); undefined when it is none. */
export function canonicalIp(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare).toString();
}

/** Whether `text` is a network as in 192.0.2.0/24, or a single address. */
export function isSubnet(text: string): boolean {
  const [address = '', prefix] = text.split('/', 2);
  return canonicalIp(address) !== undefined && (prefix === undefined || ipaddr.isValidCIDR(text));
}

/** An address that may identify one host: not loopback, not unspecified. */
export function isHostAddress(canonical: string): boolean {
  const range = ipaddr.parse(canonical).range();
  return range !== 'loopback' && range !== 'unspecified';
}

export function isLoopback(canonical: string): boolean {
  return ipaddr.parse(canonical).range() === 'loopback';
}
