// Creates a DHCP or ProxyDHCP server for each network interface that [dhcp_server] names, while the interface can be served.
import type { Socket } from 'node:dgram';
import type { Config } from '../../config/sections/core-sections.ts';
import type { DhcpSubnet, IpNumber, SubnetOf } from '../../config/dhcp-subnet.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSubnetOf } from '../../lib/network/subnet-hosts.ts';
import { ipv4Text, parseIpv4 } from '../../lib/network/ipv4.ts';
import type { Attempt, Links } from '../../lib/network/links.ts';
import type { Logger } from '../../lib/logger.ts';
import { advertiserOn } from '../router-advertisements.ts';
import type { RecordBootEvent } from '../boot-event.ts';
import type { BootLoops } from '../boot-loops.ts';
import { type AddressFamily, IPV4_LEASES } from './addresses/lease.ts';
import { AddressLeases } from './addresses/leases.ts';
import { Neighbours } from './addresses/neighbours.ts';
import { hostInterface } from './bound-socket.ts';
import { configuredIpv6Subnets, configuredSubnets, isOnlyRelayed } from './configured-subnets.ts';
import type { DhcpSite } from './exchange.ts';
import { type KnownMachines, knownMachines } from './known-machines.ts';
import { ProxyDhcpServer } from './proxy-server.ts';
import { BROADCAST, SERVER_PORT } from './reply.ts';
import { Reports } from './reports.ts';
import type { DhcpHint } from './requests/bmc-hint.ts';
import { openRelaySocket } from './requests/relay-socket.ts';
import { RivalSearch, searchMessage } from './rivals.ts';
import {
  type InterfaceParts,
  listenOnInterface,
  placeOn,
  sendFrom,
  serveInterface,
} from './served-interface.ts';
import { DhcpServer } from './server.ts';
import { Turn } from './turn.ts';
import { encodeMessage } from './wire.ts';

export interface DhcpParts extends Pick<DhcpSite, 'bootFor' | 'servesUnknown' | 'awaitsReport'> {
  readonly config: Config['dhcp_server'];
  /** The address of this host that relays send requests to, where no subnet is on an interface of this host. */
  readonly relayAddress: string;
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly record: RecordBootEvent;
  readonly loops: BootLoops;
  /** [zero_touch] bmc_networks. */
  readonly bmcNetworks: readonly string[];
  readonly hear: (hint: DhcpHint) => void;
  readonly links: Pick<Links, 'follow'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface RunningDhcp {
  close(): void;
}

/**
 * Resolves with undefined when no subnet is configured. Rejects with an Error when the daemon was not passed a socket that it
 * needs. An interface without a link or an address is served as soon as it has them.
 */
export async function serveDhcp(parts: DhcpParts): Promise<RunningDhcp | undefined> {
  const subnets = configuredSubnets(parts.config);
  if (subnets.length === 0) return undefined;
  if (isOnlyRelayed(subnets)) return serveRelays(parts, subnets);
  const { environment, links, log } = parts;
  const server = parts.config.mode === 'proxy' ? proxies(parts, subnets) : servers(parts, subnets);
  await using opened = new AsyncDisposableStack();
  for (const name of new Set(subnets.flatMap((subnet) => subnet.interface ?? []))) {
    const place = () => placeOn(name, hostInterface(name), subnets);
    const close = await serveInterface({ name, protocol: 'DHCP', place, environment, links, log, ...server });
    opened.defer(async () => close());
  }
  const all = opened.move();
  return { close: () => void all.disposeAsync() };
}

type Servers = Pick<InterfaceParts, 'prefixes' | 'begin'>;

/** What the servers of all interfaces share. */
export function dhcpSiteOf<S>(parts: DhcpParts, subnets: readonly S[]) {
  const { config, db } = parts;
  const machines = knownMachines(db);
  return {
    ...parts,
    subnets,
    machines,
    servesUnknown: () => !config.known_machines_only || parts.servesUnknown(),
    isForBmcs: ({ cidr }: Pick<DhcpSubnet, 'cidr'>) =>
      parts.bmcNetworks.some((network) => isSubnetOf(cidr, network)),
    reports: new Reports({ ...parts, machines }),
  };
}

/** The leases of one family, which all servers of the family share. */
export const leasesOf = <A extends IpNumber>(
  { config, db, clock }: DhcpParts,
  { subnets, machines }: { readonly subnets: readonly SubnetOf<A>[]; readonly machines: KnownMachines },
  family: AddressFamily<A>,
): AddressLeases<A> =>
  new AddressLeases<A>({
    family,
    subnets,
    db,
    clock,
    leaseSeconds: config.lease_time,
    isKnown: (mac) => machines.byMac(mac) !== undefined,
    reservedFor: (address) => machines.reservedFor(address),
  });

/** What the DHCP servers share; `ownAddresses` and `leases` learn each address that the daemon serves at. */
function servicesOf(parts: DhcpParts, subnets: readonly DhcpSubnet[]) {
  const { config, log } = parts;
  const site = dhcpSiteOf(parts, subnets);
  const leases = leasesOf(parts, site, IPV4_LEASES);
  const ownAddresses = new Set<number>();
  return {
    ...site,
    leases,
    leaseSeconds: config.lease_time,
    ownAddresses,
    turn: new Turn(leases, log),
  };
}

function servers(parts: DhcpParts, subnets: readonly DhcpSubnet[]): Servers {
  const { config, clock, log, environment } = parts;
  const services = servicesOf(parts, subnets);
  const { ownAddresses, leases } = services;
  const ipv6 = configuredIpv6Subnets(config);
  return {
    prefixes: ['dhcp'],
    begin({ name, mac, address }, sendOn) {
      ownAddresses.add(address);
      leases.exclude(address);
      const send = sendOn.bind(undefined, 'dhcp');
      const search = new RivalSearch({
        clock,
        transactionIds: 2 ** 32,
        ask: (id) =>
          send(encodeMessage(searchMessage(mac, address, id)), { address: BROADCAST, port: SERVER_PORT }),
      });
      const neighbours = config.probe_addresses ? new Neighbours({ clock, send }) : undefined;
      const advertise = advertiserOn(name, {
        environment,
        log,
        subnet: ipv6.find((each) => each.interface === name),
      });
      const server = new DhcpServer(services, { name, address, send, neighbours, search, advertise });
      return {
        receive: (_, datagram) => server.receive(datagram),
        end() {
          ownAddresses.delete(address);
          search.end();
        },
      };
    },
  };
}

/** All machines are in networks that this host is not in, so there is nothing to probe, and no other server to look for. */
async function serveRelays(parts: DhcpParts, subnets: readonly DhcpSubnet[]): Promise<RunningDhcp> {
  const { log, environment, links, relayAddress } = parts;
  let socket: Socket | undefined;
  const attempt = async (): Promise<Attempt> => {
    const opened = await openRelaySocket(relayAddress, environment);
    if (opened === undefined)
      return {
        missing: `this host does not have ${relayAddress}; give it the address, or set [DEFAULT] my_ip`,
      };
    const address = parseIpv4(opened.address().address) ?? 0;
    const services = servicesOf(parts, subnets);
    services.ownAddresses.add(address);
    services.leases.exclude(address);
    const server = new DhcpServer(services, {
      name: '',
      address,
      send: (bytes, to) => sendFrom({ socket: opened, log }, bytes, to),
      neighbours: undefined,
    });
    listenOnInterface(opened, log, (datagram) => server.receive(datagram));
    log.info({ address: ipv4Text(address) }, 'serving DHCP relays');
    socket = opened;
    return 'done';
  };
  await links.follow({ what: `DHCP relays at ${relayAddress}`, attempt });
  return { close: () => void socket?.close() };
}

function proxies(parts: DhcpParts, subnets: readonly DhcpSubnet[]): Servers {
  const site = dhcpSiteOf(parts, subnets);
  return {
    prefixes: ['dhcp', 'proxydhcp'],
    begin(at, send) {
      const server = new ProxyDhcpServer(site, at);
      return {
        receive(prefix, datagram, from) {
          if (prefix === 'dhcp') server.receiveDiscover(datagram, send.bind(undefined, prefix));
          else server.receiveRequest(datagram, from, send.bind(undefined, prefix));
        },
        end() {},
      };
    },
  };
}
