// The network interfaces of the host, and what is known of the networks that they are in.
import { ipv4Text, netmask, parseIpv4 } from '../../../lib/network/ipv4.ts';
import { ipv6Text, parseIp, parseIpv6 } from '../../../lib/network/ipv6.ts';
import type { IpNumber } from '../../../config/dhcp-subnet.ts';
import { type Host, outputOn } from './host.ts';

export interface Interface {
  readonly name: string;
  readonly hasLink: boolean;
  /** Its IPv4 address, or its IPv6 address if it has none. */
  readonly address: string;
  /** The subnet of the address, such as `10.0.0.0/24`. */
  readonly subnet: string;
  /** Whether the default route of the host leaves through it. */
  readonly isWayOut: boolean;
  /** What is at the other end of the cable, as LLDP says, such as `sw1 on port Ethernet3`. */
  readonly peer: string | undefined;
  /** The file with which systemd-networkd configures it. */
  readonly networkFile: string | undefined;
}

export interface Network {
  /** The interfaces with an address that hosts of other links could reach. */
  readonly interfaces: readonly Interface[];
  /** Other interfaces that a machine could be connected to. */
  readonly withoutAddress: readonly string[];
  /** The addresses in use that the host knows of, as numbers. */
  readonly inUse: readonly IpNumber[];
}

interface IpLink {
  readonly ifname: string;
  readonly link_type: string;
  readonly flags: readonly string[];
  readonly addr_info: readonly {
    readonly family: string;
    readonly local: string;
    readonly prefixlen: number;
    readonly scope?: string;
    /** Whether the address is one of privacy, which changes. */
    readonly temporary?: boolean;
  }[];
}

/** Throws an Error when the host has no program `ip`. */
export async function networkOf(host: Host): Promise<Network> {
  const links = await listed<IpLink>(host, 'address', 'show');
  const routes = [...(await defaultRoutes(host)), ...(await defaultRoutes(host, '-6'))];
  const neighbours = await listed<{ readonly dst: string; readonly lladdr?: string }>(
    host,
    'neighbour',
    'show',
  );
  const wired = links.filter(({ link_type: type }) => type === 'ether' || type === 'infiniband');
  const own = ({ addr_info: all }: IpLink) =>
    all.find(({ family }) => family === 'inet') ??
    all.find(
      ({ family, scope, temporary }) => family === 'inet6' && scope === 'global' && temporary !== true,
    );
  const interfaces = await Promise.all(
    wired.flatMap((link) => {
      const address = own(link);
      return address === undefined ? [] : [describe(host, link, address, routes[0]?.dev)];
    }),
  );
  const used = [
    ...links.flatMap((link) => link.addr_info.map(({ local }) => local)),
    ...routes.map(({ gateway }) => gateway ?? ''),
    ...neighbours.filter(({ lladdr }) => lladdr !== undefined).map(({ dst }) => dst),
  ];
  return {
    interfaces,
    withoutAddress: wired.filter((link) => own(link) === undefined).map(({ ifname }) => ifname),
    inUse: used.flatMap((text) => parseIp(text) ?? []),
  };
}

const defaultRoutes = (host: Host, ...family: readonly string[]) =>
  listed<{ readonly dev?: string; readonly gateway?: string }>(host, ...family, 'route', 'show', 'default');

async function listed<T>(host: Host, ...words: readonly string[]): Promise<readonly T[]> {
  const text = await outputOn(host, 'ip', '-json', ...words);
  if (text === undefined)
    throw new Error(
      'The program ip cannot be run, so the network is not known. Run: apt-get install iproute2',
    );
  return JSON.parse(text.trim() || '[]') as readonly T[];
}

async function describe(
  host: Host,
  { ifname: name, flags }: IpLink,
  { local: address, prefixlen: prefix }: IpLink['addr_info'][number],
  wayOut: string | undefined,
): Promise<Interface> {
  const status = (await outputOn(host, 'networkctl', '--no-pager', '--full', 'status', name)) ?? '';
  const lines = status.split('\n').map((line) => line.trim());
  const field = (label: string) =>
    lines.find((line) => line.startsWith(`${label}: `))?.slice(label.length + 2);
  const file = field('Network File');
  return {
    name,
    address,
    subnet: `${networkText(address, prefix)}/${prefix}`,
    hasLink: flags.includes('LOWER_UP'),
    isWayOut: name === wayOut,
    peer: field('Connected To'),
    networkFile: file === undefined || file === 'n/a' ? undefined : file,
  };
}

function networkText(address: string, prefix: number): string {
  const host = BigInt(128 - prefix);
  const six = parseIpv6(address);
  if (six !== undefined) return ipv6Text((six >> host) << host);
  return ipv4Text(((parseIpv4(address) ?? 0) & netmask(prefix)) >>> 0);
}

const MOST_ADDRESSES = 4096;

/** Returns a run of free addresses in the subnet, in IPv4 the largest, as `FIRST-LAST`; undefined when none is free. */
export function freeRange(subnet: string, inUse: readonly IpNumber[]): string | undefined {
  const [base = '', length = ''] = subnet.split('/');
  const six = parseIpv6(base);
  return six === undefined
    ? freeIpv4Range(
        parseIpv4(base) ?? 0,
        Number(length),
        inUse.filter((each) => typeof each === 'number'),
      )
    : freeIpv6Range(six, Number(length), inUse);
}

/** A wide network has room behind the low numbers, which hosts are given by hand. */
function freeIpv6Range(network: bigint, length: number, inUse: readonly IpNumber[]): string | undefined {
  const hosts = 1n << BigInt(128 - length);
  const size = BigInt(MOST_ADDRESSES);
  const [first, last] =
    hosts > 2n * size
      ? [network + size, network + 2n * size - 1n]
      : [network + hosts / 2n, network + hosts - 2n];
  const isTaken = inUse.some((each) => typeof each === 'bigint' && each >= first && each <= last);
  return isTaken || first > last ? undefined : `${ipv6Text(first)}-${ipv6Text(last)}`;
}

function freeIpv4Range(network: number, length: number, inUse: readonly number[]): string | undefined {
  const broadcast = (network | ~netmask(length)) >>> 0;
  const taken = [network, ...inUse.filter((each) => each > network && each < broadcast), broadcast];
  const sorted = taken.toSorted((one, other) => one - other);
  const runs = sorted.slice(1).map((end, index) => ({ first: (sorted[index] ?? 0) + 1, last: end - 1 }));
  const largest = runs.toSorted((one, other) => other.last - other.first - (one.last - one.first))[0];
  if (largest === undefined || largest.first > largest.last) return undefined;
  // the first half of a wide run stays for machines with addresses of their own
  const half = Math.ceil((largest.last - largest.first + 1) / 2);
  const first = Math.max(
    half > 8 ? largest.first + half - 1 : largest.first,
    largest.last - MOST_ADDRESSES + 1,
  );
  return `${ipv4Text(first)}-${ipv4Text(largest.last)}`;
}
