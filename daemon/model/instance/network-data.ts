// The network of an instance: what a person says of each link, and OpenStack's network_data.json made from it.
import { canonicalIp, isInSubnet, isSubnet } from '../../lib/network/ip.ts';
import { parseMac } from '../../lib/network/mac.ts';
import { fault } from '../faults.ts';
import type { JsonObject } from '../json.ts';

// stored as JSON: TypeScript accepts a type alias as JsonObject, but not an interface
export type NetworkPlan = {
  /** MAC addresses of the cards: one, or those of the bond. Not set: the card that the node boots from. */
  readonly macs?: readonly string[];
  /** In place of `macs`, for machines that are alike: numbers of cards in the order of their MAC addresses, from 1. */
  readonly cards?: readonly number[];
  /** Set for a bond of the cards. */
  readonly bond?: BondMode;
  /** The VLAN of the addresses, 1 to 4094; untagged unless given. */
  readonly vlan?: number;
  /** Addresses with prefix length, as 10.0.0.5/24; `dhcp` and `dhcp6` ask a server. */
  readonly addresses: readonly string[];
  readonly gateways?: readonly string[];
  readonly dns?: readonly string[];
  /** Further routes: `10.1.0.0/16 via 10.0.0.2`. */
  readonly routes?: readonly Route[];
  readonly mtu?: number;
};

type Route = { readonly network: string; readonly via: string };

export const bondModes = [
  '802.3ad',
  'active-backup',
  'balance-rr',
  'balance-xor',
  'balance-tlb',
  'balance-alb',
] as const;
export type BondMode = (typeof bondModes)[number];

const LONGEST_WORD = 64;
const MOST_OF_A_LINK = 32;
const word = { type: 'string', maxLength: LONGEST_WORD };
const words = { type: 'array', items: word, maxItems: MOST_OF_A_LINK };

/** The form of a NetworkPlan; `networkData` checks its values. */
export const networkPlanSchema = {
  type: 'object',
  properties: {
    macs: words,
    cards: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: MOST_OF_A_LINK },
    bond: { type: 'string', enum: bondModes },
    vlan: { type: 'integer' },
    mtu: { type: 'integer' },
    addresses: { ...words, minItems: 1 },
    gateways: words,
    dns: words,
    routes: {
      type: 'array',
      maxItems: MOST_OF_A_LINK,
      items: {
        type: 'object',
        properties: { network: word, via: word },
        required: ['network', 'via'],
        additionalProperties: false,
      },
    },
  },
  required: ['addresses'],
  additionalProperties: false,
} as const;

export interface PortOfNode {
  readonly address: string;
  readonly pxe_enabled: boolean;
}

const wrong = (reason: string) => fault('InvalidParameter', { name: 'network', reason });

/** Throws InvalidParameter for a plan that contradicts itself or the node's ports. */
export function networkData(plans: readonly NetworkPlan[], ports: readonly PortOfNode[]): JsonObject {
  const made = plans.map((plan, index) => linkOf(plan, index, ports));
  const untagged = made.filter((_, index) => plans[index]?.vlan === undefined).flatMap(({ macs }) => macs);
  const again = untagged.find((mac, index) => untagged.indexOf(mac) !== index);
  if (again !== undefined)
    throw wrong(`the card ${again} is in two links. Give one link several addresses, or a vlan`);
  const links = new Map(made.flatMap(({ links: each }) => each).map((link) => [link.id, link]));
  const dns = [
    ...new Set(plans.flatMap((plan) => (plan.dns ?? []).map((address) => addressOf(address, 'DNS server')))),
  ];
  return {
    links: [...links.values()],
    networks: made.flatMap(({ networks }) => networks),
    services: dns.map((address) => ({ type: 'dns', address })),
  };
}

type Link = JsonObject & { readonly id: string };

interface Made {
  readonly macs: readonly string[];
  readonly links: readonly Link[];
  readonly networks: readonly JsonObject[];
}

function linkOf(plan: NetworkPlan, index: number, ports: readonly PortOfNode[]): Made {
  const macs = macsOf(plan, ports);
  const mtu =
    plan.mtu === undefined ? {} : { mtu: within(plan.mtu, { name: 'mtu', least: 576, most: 9216 }) };
  const cards = macs.map((mac) => ({
    id: `card-${mac.replaceAll(':', '')}`,
    type: 'phy',
    ethernet_mac_address: mac,
    ...mtu,
  }));
  const base = plan.bond === undefined ? cards : [...cards, bondOf(plan.bond, macs, { index, mtu })];
  const lowest = base.at(-1)?.id ?? '';
  const vlan = plan.vlan === undefined ? [] : [vlanOf(plan.vlan, macs[0] ?? '', { lowest, mtu })];
  const link = vlan[0]?.id ?? lowest;
  return { macs, links: [...base, ...vlan], networks: networksOf(plan, link) };
}

function macsOf(
  { macs = [], cards = [], bond }: NetworkPlan,
  ports: readonly PortOfNode[],
): readonly string[] {
  const known = ports.map(({ address }) => address.toLowerCase());
  if (macs.length > 0 && cards.length > 0)
    throw wrong('name the cards with mac= or with card=, not with both');
  const named = [...macs, ...cards.map((number) => numberedCard(number, known))];
  if (named.length === 0) return [bootCard(ports, known)];
  const parsed = named.map((text) => {
    const mac = parseMac(text);
    if (mac === undefined)
      throw wrong(`${JSON.stringify(text)} is no MAC address. Expected one as in 52:54:00:12:34:56`);
    if (known.length > 0 && !known.includes(mac))
      throw wrong(`the node has no port ${mac}; its ports are ${known.join(', ')}`);
    return mac;
  });
  if (bond === undefined && parsed.length > 1) throw wrong('several cards need bond=, such as bond=802.3ad');
  if (bond !== undefined && parsed.length < 2)
    throw wrong(`a bond needs at least two cards, but ${parsed.length} is named`);
  return parsed;
}

function numberedCard(number: number, known: readonly string[]): string {
  const mac = known.toSorted()[number - 1];
  if (mac !== undefined) return mac;
  throw wrong(
    `there is no card ${number}: the node has ${known.length === 0 ? 'no ports' : `the ports ${known.toSorted().join(', ')}`}`,
  );
}

function bootCard(ports: readonly PortOfNode[], known: readonly string[]): string {
  const boots = known.filter((_, index) => ports[index]?.pxe_enabled === true);
  const [only, ...others] = boots.length === 0 ? known : boots;
  if (only !== undefined && others.length === 0) return only;
  const which = known.length === 0 ? 'no ports' : `the ports ${known.join(', ')}`;
  throw wrong(`name the card with mac= or card=: the node has ${which}`);
}

interface Above {
  readonly mtu: JsonObject;
}

const bondOf = (
  mode: BondMode,
  macs: readonly string[],
  { index, mtu }: Above & { readonly index: number },
) => ({
  id: `bond${index}`,
  type: 'bond',
  bond_mode: mode,
  bond_miimon: 100,
  ...(mode === '802.3ad' && { bond_xmit_hash_policy: 'layer3+4' }),
  bond_links: macs.map((mac) => `card-${mac.replaceAll(':', '')}`),
  ethernet_mac_address: macs[0] ?? '',
  ...mtu,
});

const vlanOf = (id: number, mac: string, { lowest, mtu }: Above & { readonly lowest: string }) => ({
  id: `${lowest}.${within(id, { name: 'vlan', least: 1, most: 4094 })}`,
  type: 'vlan',
  vlan_id: id,
  vlan_link: lowest,
  vlan_mac_address: mac,
  ...mtu,
});

function within(
  value: number,
  { name, least, most }: { readonly name: string; readonly least: number; readonly most: number },
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(`${name}=${value}: expected a whole number from ${least} to ${most}`);
}

function networksOf(plan: NetworkPlan, link: string): JsonObject[] {
  if (plan.addresses.length === 0) throw wrong('a link needs an address, or address=dhcp');
  const { routes: further = [] } = plan;
  const gateways = (plan.gateways ?? []).map((each) => addressOf(each, 'gateway'));
  const used = new Set<string>();
  const networks = plan.addresses.map((text, index): JsonObject => {
    const id = `${link}-${index}`;
    if (asksServer(text)) return { id, link, type: text === 'dhcp' ? 'ipv4_dhcp' : 'ipv6_dhcp' };
    const [ip, prefix] = interfaceAddress(text);
    const isIpv6 = ip.includes(':');
    const subnet = `${ip}/${prefix}`;
    const gateway = gateways.find((each) => isInSubnet(each, subnet));
    if (gateway !== undefined) used.add(gateway);
    const routes = [
      ...(gateway === undefined ? [] : [defaultRoute(isIpv6, gateway)]),
      ...further.flatMap((route) => (route.via.includes(':') === isIpv6 ? [routeOf(route)] : [])),
    ];
    return {
      id,
      link,
      type: isIpv6 ? 'ipv6' : 'ipv4',
      ip_address: ip,
      netmask: netmaskOf(prefix, isIpv6),
      routes,
    };
  });
  const lost = gateways.find((gateway) => !used.has(gateway));
  if (lost !== undefined)
    throw wrong(`the gateway ${lost} is in no subnet of the addresses ${plan.addresses.join(', ')}`);
  return networks;
}

/** Whether the machine asks a DHCP server for the address. */
export const asksServer = (address: string): boolean => address === 'dhcp' || address === 'dhcp6';

function addressOf(text: string, what: string): string {
  const ip = canonicalIp(text);
  if (ip === undefined) throw wrong(`${JSON.stringify(text)} is no address of a ${what}`);
  return ip;
}

function interfaceAddress(text: string): readonly [ip: string, prefix: number] {
  const [address = '', prefix = ''] = text.split('/');
  const ip = canonicalIp(address);
  const longest = ip?.includes(':') === true ? 128 : 32;
  if (ip === undefined || !/^\d{1,3}$/.test(prefix) || Number(prefix) > longest || Number(prefix) === 0)
    throw wrong(
      `${JSON.stringify(text)} is no address with a prefix length. Expected one as in 10.0.0.5/24 or fd00::5/64, or dhcp`,
    );
  return [ip, Number(prefix)];
}

const defaultRoute = (isIpv6: boolean, gateway: string) =>
  isIpv6 ? { network: '::', netmask: '::', gateway } : { network: '0.0.0.0', netmask: '0.0.0.0', gateway };

function routeOf({ network, via }: Route): JsonObject {
  const gateway = addressOf(via, 'gateway');
  if (!isSubnet(network))
    throw wrong(`${JSON.stringify(network)} is no subnet. Expected one as in 10.1.0.0/16`);
  const [ip, prefix] = interfaceAddress(network);
  return { network: ip, netmask: netmaskOf(prefix, ip.includes(':')), gateway };
}

/** network_data.json has netmasks, for IPv6 too. */
function netmaskOf(prefix: number, isIpv6: boolean): string {
  const [width, groups, base] = isIpv6 ? ([16, 8, 16] as const) : ([8, 4, 10] as const);
  const parts = Array.from({ length: groups }, (_, index) => {
    const ones = Math.min(Math.max(prefix - index * width, 0), width);
    return (2 ** width - 2 ** (width - ones)).toString(base);
  });
  return parts.join(isIpv6 ? ':' : '.');
}
