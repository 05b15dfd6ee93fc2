// The text that describes one subnet of the DHCP server: `10.0.0.0/24 range=10.0.0.50-10.0.0.250 router=10.0.0.1 interface=br0`.
import { ipv4Text, netmask, parseIpv4 } from '../lib/network/ipv4.ts';

/** Addresses are numbers; both ends belong to the range. */
export interface AddressRange {
  readonly first: number;
  readonly last: number;
}

export interface DhcpSubnet {
  /** The subnet as the configuration names it: `10.0.0.0/24`. */
  readonly cidr: string;
  readonly network: number;
  readonly mask: number;
  readonly ranges: readonly AddressRange[];
  readonly routers: readonly number[];
  readonly dns: readonly number[];
  readonly ntp: readonly number[];
  readonly domain: string | undefined;
  /** The network interface of this host in the subnet; undefined where relays forward the requests. */
  readonly interface: string | undefined;
}

type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly reason: string };

class Unreadable extends Error {}

const NAMES = ['range', 'router', 'dns', 'ntp', 'domain', 'interface'] as const;
type Name = (typeof NAMES)[number];
const LARGEST_POOL = 65_536;
// the kernel's IFNAMSIZ without the closing NUL
const LONGEST_INTERFACE = 15;

export const isInDhcpSubnet = (address: number, { network, mask }: DhcpSubnet): boolean =>
  (address & mask) >>> 0 === network;

/** The address to which the hosts of the subnet broadcast. */
export const broadcastOf = ({ network, mask }: DhcpSubnet): number => (network | ~mask) >>> 0;

export function readDhcpSubnet(text: string): Reading<DhcpSubnet> {
  try {
    return { kind: 'read', value: subnetOf(text.split(' ').filter((word) => word !== '')) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', reason: error.message };
    throw error;
  }
}

function subnetOf([cidr = '', ...words]: readonly string[]): DhcpSubnet {
  const { network, mask } = networkOf(cidr);
  const values = valuesByName(words);
  const bare = { cidr, network, mask };
  const inside = (text: string) => hostIn(bare, text);
  const subnet: DhcpSubnet = {
    ...bare,
    ranges: values.range.map((text) => rangeOf(text, inside)),
    routers: values.router.map(inside),
    dns: values.dns.map(addressOf),
    ntp: values.ntp.map(addressOf),
    domain: atMostOne('domain', values.domain),
    interface: atMostOne('interface', values.interface),
  };
  checkRanges(subnet.ranges);
  checkNames(subnet);
  return subnet;
}

function networkOf(cidr: string): { readonly network: number; readonly mask: number } {
  const [address = '', length = '', ...more] = cidr.split('/');
  const network = parseIpv4(address);
  const prefix = Number(length);
  if (network === undefined || more.length > 0 || String(prefix) !== length || prefix < 8 || prefix > 30)
    throw new Unreadable(`${cidr || 'the empty text'} is not an IPv4 subnet with a prefix of 8 to 30 bits`);
  const mask = netmask(prefix);
  const start = (network & mask) >>> 0;
  if (start !== network)
    throw new Unreadable(`${cidr} has host bits; the subnet is ${ipv4Text(start)}/${prefix}`);
  return { network, mask };
}

function valuesByName(words: readonly string[]): Readonly<Record<Name, readonly string[]>> {
  const values: Record<Name, string[]> = {
    range: [],
    router: [],
    dns: [],
    ntp: [],
    domain: [],
    interface: [],
  };
  for (const word of words) {
    const [name, value = ''] = word.split(/=(.*)/s, 2);
    const known = NAMES.find((each) => each === name);
    if (known === undefined || value === '')
      throw new Unreadable(`${word} is not one of ${NAMES.map((each) => `${each}=...`).join(', ')}`);
    values[known].push(value);
  }
  return values;
}

function addressOf(text: string): number {
  const address = parseIpv4(text);
  if (address === undefined) throw new Unreadable(`${text} is not an IPv4 address`);
  return address;
}

function hostIn(
  subnet: { readonly cidr: string; readonly network: number; readonly mask: number },
  text: string,
) {
  const address = addressOf(text);
  const hostBits = address & ~subnet.mask;
  if ((address & subnet.mask) >>> 0 !== subnet.network || hostBits === 0 || hostBits === ~subnet.mask)
    throw new Unreadable(`${text} is not the address of a host in ${subnet.cidr}`);
  return address;
}

function rangeOf(text: string, inside: (text: string) => number): AddressRange {
  const [first = '', last, ...more] = text.split('-');
  if (last === undefined || more.length > 0) throw new Unreadable(`range=${text} is not FIRST-LAST`);
  const range = { first: inside(first), last: inside(last) };
  if (range.first > range.last) throw new Unreadable(`range=${text} ends before it begins`);
  return range;
}

function checkRanges(ranges: readonly AddressRange[]): void {
  const sorted = ranges.toSorted((a, b) => a.first - b.first);
  const overlap = sorted.find(({ first }, index) => index > 0 && first <= (sorted[index - 1]?.last ?? 0));
  if (overlap !== undefined)
    throw new Unreadable(`the range that begins at ${ipv4Text(overlap.first)} overlaps another`);
  const size = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  if (size > LARGEST_POOL)
    throw new Unreadable(`its ranges have ${size} addresses; at most ${LARGEST_POOL} are allowed`);
}

function atMostOne(name: string, [value, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) throw new Unreadable(`${name} is given ${more.length + 1} times`);
  return value;
}

function checkNames({ domain = '', interface: device = '' }: DhcpSubnet): void {
  if (domain.length > 253) throw new Unreadable('its domain has more than 253 characters');
  if (device.length > LONGEST_INTERFACE || device.includes('/'))
    throw new Unreadable(`${device} is not the name of a network interface`);
}
