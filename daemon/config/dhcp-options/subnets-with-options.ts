// The DHCP options of [dhcp_server] options, each for the machines of one subnet or of all.
import { ipText } from '../../lib/network/ipv6.ts';
import type { Json } from '../../model/json.ts';
import type { IpNumber, SubnetOf } from '../dhcp-subnet.ts';
import { readSetOptions, type SetOption } from './set-options.ts';

interface SubnetOptions {
  /** Undefined: the options are for all subnets. */
  readonly cidr: string | undefined;
  readonly options: readonly SetOption[];
}

type Reading =
  | { readonly kind: 'read'; readonly value: SubnetOptions }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Reads one item: a JSON object of options, with the CIDR of a subnet before it or without. */
export function readSubnetOptions(text: string): Reading {
  const [, cidr, json = ''] = /^(?:([^\s{]+)\s+)?(\{.*\})$/s.exec(text) ?? [];
  const given = jsonOf(json);
  if (given === undefined)
    return {
      kind: 'unreadable',
      reason: `${text} does not end in a JSON object, such as {"interface-mtu": 9000}`,
    };
  const reading = readSetOptions(given, 'subnet');
  const reason = reading.kind === 'unreadable' ? reading.reason : strangeIn(cidr, reading.value);
  if (reading.kind === 'unreadable' || reason !== undefined)
    return { kind: 'unreadable', reason: `${text}: ${reason}` };
  return { kind: 'read', value: { cidr, options: reading.value } };
}

/** Why an option is not one of the subnet's version of DHCP. */
function strangeIn(cidr: string | undefined, options: readonly SetOption[]): string | undefined {
  const version = cidr?.includes(':') === true ? 6 : 4;
  const strange = options.find((option) => option.version !== version);
  if (cidr === undefined || strange === undefined) return undefined;
  return version === 6
    ? `option ${strange.code} is one of IPv4; the options of an IPv6 subnet begin with dhcp6., as in dhcp6.domain-search`
    : `option dhcp6.${strange.code} is one of IPv6, and ${cidr} is an IPv4 subnet`;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

interface Settings {
  /** The subnets of both families, as they are written. */
  readonly subnet: readonly string[];
  readonly mode: 'server' | 'proxy';
  readonly options: readonly string[];
}

/**
 * Returns the subnets, which are of one family, with their options. Those of the subnet itself come before those for all subnets, and those of a later item
 * before those of an earlier one. Throws an Error for options of no subnet, in mode proxy, and for routes that would leave a
 * machine without its router.
 */
export function withOptions<S extends SubnetOf<IpNumber>>(
  subnets: readonly S[],
  settings: Settings,
): readonly S[] {
  // the configuration has already refused what cannot be read
  const items = settings.options
    .map(readSubnetOptions)
    .flatMap((each) => (each.kind === 'read' ? [each.value] : []));
  if (settings.mode === 'proxy' && items.length > 0)
    throw wrong('with mode = proxy, the other DHCP server gives the settings; set the options there');
  const known = settings.subnet.map((text) => text.trimStart().split(' ', 1)[0]);
  const foreign = items.find(({ cidr }) => cidr !== undefined && !known.includes(cidr));
  if (foreign !== undefined)
    throw wrong(`${foreign.cidr} is no subnet of [dhcp_server]; there are: ${known.join(', ') || 'none'}`);
  return subnets.map((subnet) => {
    const options = optionsFor(subnet, items);
    refuseLostRouter(subnet, options);
    return { ...subnet, options };
  });
}

const wrong = (what: string) => new Error(`[dhcp_server] options: ${what}.`);

function optionsFor(
  { cidr, network }: SubnetOf<IpNumber>,
  items: readonly SubnetOptions[],
): readonly SetOption[] {
  const common = items.filter((item) => item.cidr === undefined);
  const own = items.filter((item) => item.cidr === cidr);
  const version = typeof network === 'bigint' ? 6 : 4;
  const all = [...common, ...own]
    .flatMap(({ options }) => options)
    .filter((option) => option.version === version);
  return [...new Map(all.map((option) => [option.code, option])).values()];
}

const CLASSLESS_ROUTES = 121;

/** A client that reads classless routes ignores the router of the subnet (RFC 3442). */
function refuseLostRouter(
  { cidr, routers: [router] }: SubnetOf<IpNumber>,
  options: readonly SetOption[],
): void {
  const routes = options.find(({ code }) => code === CLASSLESS_ROUTES);
  if (router === undefined || routes === undefined || hasDefaultRoute(routes.value)) return;
  throw wrong(
    `${cidr}: machines that read option ${CLASSLESS_ROUTES} ignore router=; add the route 0.0.0.0/0,${ipText(router)} to the option`,
  );
}

/** A route is its prefix length, the significant octets of its network, and the four of its router. */
function hasDefaultRoute(routes: Uint8Array): boolean {
  for (let at = 0; at < routes.length; at += 5 + Math.ceil((routes[at] ?? 0) / 8))
    if (routes[at] === 0) return true;
  return false;
}
