// The text that describes one subnet of the DHCP server: `10.0.0.0/24 range=10.0.0.50-10.0.0.250 router=10.0.0.1 interface=br0`,
// or `2001:db8::/64 range=2001:db8::1000-2001:db8::1fff interface=br0`.
import { ipv4Text, netmask, parseIpv4 } from '../lib/network/ipv4.ts';
import { ipv6Text, parseIpv6 } from '../lib/network/ipv6.ts';
import type { SetOption } from './dhcp-options/set-options.ts';

/** An IPv4 address is a number, an IPv6 address a bigint. */
export type IpNumber = number | bigint;

/** Both ends belong to the range. */
export interface AddressRange<A extends IpNumber = number> {
  readonly first: A;
  readonly last: A;
}

export interface SubnetOf<A extends IpNumber> {
  /** The subnet as the configuration names it: `10.0.0.0/24`. */
  readonly cidr: string;
  /** The first address. */
  readonly network: A;
  /** The last address: in an IPv4 subnet, that of broadcasts. */
  readonly last: A;
  readonly ranges: readonly AddressRange<A>[];
  readonly routers: readonly A[];
  readonly dns: readonly A[];
  readonly ntp: readonly A[];
  readonly domain: string | undefined;
  /** Further DHCP options of its machines. The text of a subnet has none: `[dhcp_server] options` sets them. */
  readonly options: readonly SetOption[];
  /** The network interface of this host in the subnet; undefined where relays forward the requests. */
  readonly interface: string | undefined;
}

export interface DhcpSubnet extends SubnetOf<number> {
  readonly mask: number;
}

/** An IPv6 subnet. Without ranges, its machines get addresses from elsewhere, and only settings from this server. */
export type Dhcp6Subnet = SubnetOf<bigint>;

type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly reason: string };

class Unreadable extends Error {}

const NAMES = ['range', 'router', 'dns', 'ntp', 'domain', 'interface'] as const;
type Name = (typeof NAMES)[number];
const LARGEST_POOL = 65_536;
// the kernel's IFNAMSIZ without the closing NUL
const LONGEST_INTERFACE = 15;

export const isInDhcpSubnet = <A extends IpNumber>(
  address: A,
  { network, last }: Pick<SubnetOf<A>, 'network' | 'last'>,
): boolean => network <= address && address <= last;

/** Whether the address is the router of the subnet, or not of a host: a machine never gets it, even if a port reserves it. */
export const isNoMachines = <A extends IpNumber>(
  address: A,
  subnet: Pick<SubnetOf<A>, 'network' | 'last' | 'routers'>,
): boolean => [subnet.network, subnet.last, ...subnet.routers].includes(address);

/** How a family writes its addresses, and what its subnets are. */
interface Family<A extends IpNumber> {
  readonly name: 'IPv4' | 'IPv6';
  readonly parse: (text: string) => A | undefined;
  readonly text: (address: A) => string;
  /** The shortest and the longest prefix. */
  readonly prefixes: readonly [shortest: number, longest: number];
  readonly ends: (address: A, prefix: number) => { readonly network: A; readonly last: A };
}

const ipv4: Family<number> = {
  name: 'IPv4',
  parse: parseIpv4,
  text: ipv4Text,
  prefixes: [8, 30],
  ends(address, prefix) {
    const mask = netmask(prefix);
    return { network: (address & mask) >>> 0, last: (address | ~mask) >>> 0 };
  },
};

const ipv6: Family<bigint> = {
  name: 'IPv6',
  parse: parseIpv6,
  text: ipv6Text,
  prefixes: [16, 126],
  ends(address, prefix) {
    const hosts = (1n << BigInt(128 - prefix)) - 1n;
    return { network: address & ~hosts, last: address | hosts };
  },
};

const read = <T>(make: (words: readonly string[]) => T, text: string): Reading<T> => {
  try {
    return { kind: 'read', value: make(text.split(' ').filter((word) => word !== '')) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', reason: error.message };
    throw error;
  }
};

/** Reads an IPv4 subnet. */
export const readDhcpSubnet = (text: string): Reading<DhcpSubnet> =>
  read((words) => {
    const subnet = subnetOf(ipv4, words);
    return { ...subnet, mask: netmask(Number(subnet.cidr.split('/')[1])) };
  }, text);

export const readDhcp6Subnet = (text: string): Reading<Dhcp6Subnet> =>
  read((words) => {
    const subnet = subnetOf(ipv6, words);
    if (subnet.routers.length === 0) return subnet;
    throw new Unreadable(
      'router= is of IPv4 subnets; IPv6 machines learn their router from its advertisements',
    );
  }, text);

/** Reads a subnet of either family. */
export const readAnyDhcpSubnet = (text: string): Reading<DhcpSubnet | Dhcp6Subnet> =>
  isIpv6Subnet(text) ? readDhcp6Subnet(text) : readDhcpSubnet(text);

export const isIpv6Subnet = (text: string): boolean =>
  text.trimStart().split(' ', 1)[0]?.includes(':') === true;

function subnetOf<A extends IpNumber>(
  family: Family<A>,
  [cidr = '', ...words]: readonly string[],
): SubnetOf<A> {
  const bare = { cidr, ...networkOf(family, cidr) };
  const values = valuesByName(words);
  const inside = (text: string) => hostIn(family, bare, text);
  const anywhere = (text: string) => addressOf(family, text);
  const subnet: SubnetOf<A> = {
    ...bare,
    ranges: values.range.map((text) => rangeOf(text, inside)),
    routers: values.router.map(inside),
    dns: values.dns.map(anywhere),
    ntp: values.ntp.map(anywhere),
    domain: atMostOne('domain', values.domain),
    options: [],
    interface: atMostOne('interface', values.interface),
  };
  checkRanges(family, subnet.ranges);
  checkNames(subnet);
  return subnet;
}

function networkOf<A extends IpNumber>(family: Family<A>, cidr: string) {
  const [address = '', length = '', ...more] = cidr.split('/');
  const given = family.parse(address);
  const prefix = Number(length);
  const [shortest, longest] = family.prefixes;
  const isPrefix = String(prefix) === length && prefix >= shortest && prefix <= longest;
  if (given === undefined || more.length > 0 || !isPrefix)
    throw new Unreadable(
      `${cidr || 'the empty text'} is not an ${family.name} subnet with a prefix of ${shortest} to ${longest} bits`,
    );
  const ends = family.ends(given, prefix);
  if (ends.network !== given)
    throw new Unreadable(`${cidr} has host bits; the subnet is ${family.text(ends.network)}/${prefix}`);
  return ends;
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

function addressOf<A extends IpNumber>({ name, parse }: Family<A>, text: string): A {
  const address = parse(text);
  if (address === undefined) throw new Unreadable(`${text} is not an ${name} address`);
  return address;
}

function hostIn<A extends IpNumber>(
  family: Family<A>,
  subnet: Pick<SubnetOf<A>, 'cidr' | 'network' | 'last'>,
  text: string,
): A {
  const address = addressOf(family, text);
  if (!(subnet.network < address && address < subnet.last))
    throw new Unreadable(`${text} is not the address of a host in ${subnet.cidr}`);
  return address;
}

function rangeOf<A extends IpNumber>(text: string, inside: (text: string) => A): AddressRange<A> {
  const [first = '', last, ...more] = text.split('-');
  if (last === undefined || more.length > 0) throw new Unreadable(`range=${text} is not FIRST-LAST`);
  const range = { first: inside(first), last: inside(last) };
  if (range.first > range.last) throw new Unreadable(`range=${text} ends before it begins`);
  return range;
}

function checkRanges<A extends IpNumber>({ text }: Family<A>, ranges: readonly AddressRange<A>[]): void {
  const sorted = ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1));
  const overlap = sorted.find((range, index) => {
    const before = sorted[index - 1];
    return before !== undefined && range.first <= before.last;
  });
  if (overlap !== undefined)
    throw new Unreadable(`the range that begins at ${text(overlap.first)} overlaps another`);
  const size = ranges.reduce((sum, { first, last }) => sum + BigInt(last) - BigInt(first) + 1n, 0n);
  if (size > LARGEST_POOL)
    throw new Unreadable(`its ranges have ${size} addresses; at most ${LARGEST_POOL} are allowed`);
}

function atMostOne(name: string, [value, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) throw new Unreadable(`${name} is given ${more.length + 1} times`);
  return value;
}

function checkNames({ domain = '', interface: device = '' }: Pick<DhcpSubnet, 'domain' | 'interface'>): void {
  if (domain.length > 253) throw new Unreadable('its domain has more than 253 characters');
  if (device.length > LONGEST_INTERFACE || device.includes('/'))
    throw new Unreadable(`${device} is not the name of a network interface`);
}
