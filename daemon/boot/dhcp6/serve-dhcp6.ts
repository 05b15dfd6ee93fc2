// Creates a DHCPv6 server for each network interface that an IPv6 subnet of [dhcp_server] names, while the interface can be served.
import { hostInterface } from '../dhcp/bound-socket.ts';
import { IPV6_LEASES } from '../dhcp/addresses/lease.ts';
import { configuredIpv6Subnets } from '../dhcp/configured-subnets.ts';
import { RivalSearch } from '../dhcp/rivals.ts';
import { type DhcpParts, type RunningDhcp, dhcpSiteOf, leasesOf } from '../dhcp/serve-dhcp.ts';
import { type InterfaceParts, placeOn, serveInterface } from '../dhcp/served-interface.ts';
import { Turn } from '../dhcp/turn.ts';
import { advertiserOn } from '../router-advertisements.ts';
import type { Dhcp6Subnet } from '../../config/dhcp-subnet.ts';
import { ALL_DHCP6_SERVERS, dhcp6SearchMessage, serverIdOf } from './dhcp6-search.ts';
import { DHCP6_SERVER_PORT, Dhcp6Server } from './dhcp6-server.ts';

/**
 * Resolves with undefined when no IPv6 subnet is configured. Rejects with an Error when the daemon was not passed a socket that it
 * needs, and when no IPv6 subnet names an interface. An interface without a link or an address is served as soon as it has them.
 */
export async function serveDhcp6(parts: DhcpParts): Promise<RunningDhcp | undefined> {
  const subnets = configuredIpv6Subnets(parts.config);
  const names = new Set(subnets.flatMap((subnet) => subnet.interface ?? []));
  if (subnets.length === 0) return undefined;
  if (names.size === 0)
    throw new Error(
      `[dhcp_server] subnet = ${subnets[0]?.cidr}: name the network interface that DHCPv6 relays send to: interface=NAME, in some IPv6 subnet.`,
    );
  const { environment, links, log } = parts;
  const begin = servers(parts, subnets);
  await using opened = new AsyncDisposableStack();
  for (const name of names) {
    const close = await serveInterface<bigint>({
      name,
      protocol: 'DHCPv6',
      place: () => placeOn(name, hostInterface(name, 'IPv6'), subnets),
      prefixes: ['dhcp6'],
      environment,
      links,
      log,
      begin,
    });
    opened.defer(async () => close());
  }
  const all = opened.move();
  return { close: () => void all.disposeAsync() };
}

function servers(parts: DhcpParts, subnets: readonly Dhcp6Subnet[]): InterfaceParts<bigint>['begin'] {
  const { config, clock, log } = parts;
  const site = dhcpSiteOf(parts, subnets);
  const leases = leasesOf(parts, site, IPV6_LEASES);
  const services = { ...site, leases, leaseSeconds: config.lease_time, turn: new Turn(leases, log) };
  return ({ name, mac, address }, sendOn) => {
    leases.exclude(address);
    const serverId = serverIdOf(mac);
    const send = sendOn.bind(undefined, 'dhcp6');
    const search = new RivalSearch({
      clock,
      transactionIds: 2 ** 24,
      ask: (id) =>
        send(dhcp6SearchMessage(serverId, address, id), {
          address: ALL_DHCP6_SERVERS,
          port: DHCP6_SERVER_PORT,
        }),
    });
    const stopAdvertising = advertiseOften(name, parts, subnets);
    const server = new Dhcp6Server(services, { name, address, serverId, send, search });
    return {
      receive: (_, datagram, from) => server.receive(datagram, from),
      end() {
        search.end();
        stopAdvertising();
      },
    };
  };
}

/** Hosts ask for advertisements, which only a router hears; they get the next one (RFC 4861, 6.2.1: at least 3 s apart). */
const ADVERTISEMENT_MILLISECONDS = 4000;

/** Tells hosts on the interface that addresses come from DHCPv6, if the socket for it was passed. Returns what ends it. */
function advertiseOften(
  name: string,
  { clock, environment, log }: Pick<DhcpParts, 'clock' | 'environment' | 'log'>,
  subnets: readonly Dhcp6Subnet[],
): () => void {
  const subnet = subnets.find((each) => each.interface === name);
  const advertise = advertiserOn(name, { environment, log, subnet });
  if (advertise === undefined) return () => {};
  let cancel: (() => void) | undefined;
  const again = () => {
    advertise();
    cancel = clock.after(ADVERTISEMENT_MILLISECONDS, again);
  };
  again();
  return () => cancel?.();
}
