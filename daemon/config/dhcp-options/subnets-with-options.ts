// The DHCP options of [dhcp_server] options, each for the machines of one subnet or of all.
import { ipv4Text } from '../../lib/network/ipv4.ts';
import type { Json } from '../../model/json.ts';
import type { DhcpSubnet } from '../dhcp-subnet.ts';
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
  if (reading.kind === 'unreadable') return { kind: 'unreadable', reason: `${text}: ${reading.reason}` };
  return { kind: 'read', value: { cidr, options: reading.value } };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

interface Settings {
  readonly mode: 'server' | 'proxy';
  readonly options: readonly string[];
}

/**
 * Returns the subnets with their options. Those of the subnet itself come before those for all subnets, and those of a later item
 * before those of an earlier one. Throws an Error for options of no subnet, in mode proxy, and for routes that would leave a
 * machine without its router.
 */
export function withOptions(subnets: readonly DhcpSubnet[], settings: Settings): readonly DhcpSubnet[] {
  // the configuration has already refused what cannot be read
  const items = settings.options
    .map(readSubnetOptions)
    .flatMap((each) => (each.kind === 'read' ? [each.value] : []));
  if (settings.mode === 'proxy' && items.length > 0)
    throw wrong('with mode = proxy, the other DHCP server gives the settings; set the options there');
  const foreign = items.find(({ cidr }) => cidr !== undefined && subnets.every((each) => each.cidr !== cidr));
  if (foreign !== undefined) {
    const known = subnets.map(({ cidr }) => cidr).join(', ') || 'none';
    throw wrong(`${foreign.cidr} is no subnet of [dhcp_server]; there are: ${known}`);
  }
  return subnets.map((subnet) => {
    const options = optionsFor(subnet, items);
    refuseLostRouter(subnet, options);
    return { ...subnet, options };
  });
}

const wrong = (what: string) => new Error(`[dhcp_server] options: ${what}.`);

function optionsFor({ cidr }: DhcpSubnet, items: readonly SubnetOptions[]): readonly SetOption[] {
  const common = items.filter((item) => item.cidr === undefined);
  const own = items.filter((item) => item.cidr === cidr);
  const all = [...common, ...own].flatMap(({ options }) => options);
  return [...new Map(all.map((option) => [option.code, option])).values()];
}

const CLASSLESS_ROUTES = 121;

/** A client that reads classless routes ignores the router of the subnet (RFC 3442). */
function refuseLostRouter({ cidr, routers: [router] }: DhcpSubnet, options: readonly SetOption[]): void {
  const routes = options.find(({ code }) => code === CLASSLESS_ROUTES);
  if (router === undefined || routes === undefined || hasDefaultRoute(routes.value)) return;
  throw wrong(
    `${cidr}: machines that read option ${CLASSLESS_ROUTES} ignore router=; add the route 0.0.0.0/0,${ipv4Text(router)} to the option`,
  );
}

/** A route is its prefix length, the significant octets of its network, and the four of its router. */
function hasDefaultRoute(routes: Uint8Array): boolean {
  for (let at = 0; at < routes.length; at += 5 + Math.ceil((routes[at] ?? 0) / 8))
    if (routes[at] === 0) return true;
  return false;
}
