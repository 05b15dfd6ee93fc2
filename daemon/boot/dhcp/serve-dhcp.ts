// Opens the sockets that [dhcp_server] needs, and creates a DHCP or ProxyDHCP server for each network interface.
import type { Socket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import type { Config } from '../../config/sections/core-sections.ts';
import type { DhcpSubnet } from '../../config/dhcp-subnet.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { ipv4Text, parseIpv4 } from '../../lib/network/ipv4.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BootFor } from '../boot-choice.ts';
import type { RecordBootEvent } from '../boot-event.ts';
import type { BootLoops } from '../boot-loops.ts';
import { Leases } from './addresses/leases.ts';
import { Neighbours } from './addresses/neighbours.ts';
import { type HostInterface, hostInterface, openBoundSocket } from './bound-socket.ts';
import { addressIn, configuredSubnets } from './configured-subnets.ts';
import { knownMachines } from './known-machines.ts';
import { ProxyDhcpServer } from './proxy-server.ts';
import { BROADCAST, type Destination, SERVER_PORT } from './reply.ts';
import { type ReportParts, Reports } from './reports.ts';
import { searchForRivals } from './rivals.ts';
import { advertiserOn } from '../router-advertisements.ts';
import { DhcpServer } from './server.ts';
import { Turn } from './turn.ts';
import { encodeMessage } from './wire.ts';

export interface DhcpParts {
  readonly config: Config['dhcp_server'];
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly bootFor: BootFor;
  /** Whether machines without a node are served now even if known_machines_only is set. */
  readonly servesUnknown: () => boolean;
  readonly record: RecordBootEvent;
  readonly loops: BootLoops;
  readonly endLoop: ReportParts['endLoop'];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface RunningDhcp {
  close(): void;
}

const SEARCH_MILLISECONDS = 600_000;

type Environment = DhcpParts['environment'];

/** Resolves with undefined when no subnet is configured. Rejects with an Error when it cannot serve. */
export async function serveDhcp(parts: DhcpParts): Promise<RunningDhcp | undefined> {
  const subnets = configuredSubnets(parts.config);
  if (subnets.length === 0) return undefined;
  const names = new Set(subnets.flatMap((subnet) => subnet.interface ?? []));
  const interfaces = await Promise.all([...names].map(hostInterface));
  const running =
    parts.config.mode === 'proxy'
      ? await serveProxy(parts, subnets, interfaces)
      : await serveAddresses(parts, subnets, interfaces);
  parts.log.info({ mode: parts.config.mode, interfaces: [...names] }, 'serving DHCP');
  return running;
}

async function serveAddresses(
  parts: DhcpParts,
  subnets: readonly DhcpSubnet[],
  interfaces: readonly HostInterface[],
): Promise<RunningDhcp> {
  const { config, db, clock, log, environment } = parts;
  const machines = knownMachines(db);
  const own = interfaces.map((each) => addressIn(each, subnets));
  const leases = new Leases({
    subnets,
    excluded: new Set([...own, ...subnets.flatMap(({ routers, dns, ntp }) => [...routers, ...dns, ...ntp])]),
    db,
    clock,
    leaseSeconds: config.lease_time,
    reservedFor: (address) => machines.reservedFor(address),
  });
  const services = {
    subnets,
    machines,
    leases,
    bootFor: parts.bootFor,
    servesUnknown: () => !config.known_machines_only || parts.servesUnknown(),
    leaseSeconds: config.lease_time,
    ownAddresses: new Set(own),
    loops: parts.loops,
    turn: new Turn(leases, log),
    reports: new Reports({ ...parts, machines }),
  };
  const sockets = await openAll('dhcp', interfaces, environment);
  const searches = sockets.map((socket, index) => {
    const { name = '', mac = '' } = interfaces[index] ?? {};
    const address = own[index] ?? 0;
    const send = senderOf(socket, log);
    const neighbours = config.probe_addresses
      ? new Neighbours({ clock, send: (bytes, to) => send(bytes, to) })
      : undefined;
    const advertise = advertiserOn(name, environment, log);
    const server = new DhcpServer(services, { name, address, send, neighbours, advertise });
    listen(socket, log, (datagram) => server.receive(datagram));
    return repeat(clock, () => {
      const search = searchForRivals(mac, address, randomInt(2 ** 32));
      send(encodeMessage(search), { address: BROADCAST, port: SERVER_PORT });
    });
  });
  return {
    close() {
      for (const end of searches) end();
      for (const socket of sockets) socket.close();
    },
  };
}

async function serveProxy(
  parts: DhcpParts,
  subnets: readonly DhcpSubnet[],
  interfaces: readonly HostInterface[],
): Promise<RunningDhcp> {
  const { config, db, log, environment, bootFor } = parts;
  const site = {
    subnets,
    machines: knownMachines(db),
    bootFor,
    servesUnknown: () => !config.known_machines_only || parts.servesUnknown(),
    loops: parts.loops,
  };
  const services = { ...site, reports: new Reports({ ...parts, machines: site.machines }) };
  const onDhcp = await openAll('dhcp', interfaces, environment);
  const onProxy = await openAll('proxydhcp', interfaces, environment).catch((error: unknown) => {
    for (const socket of onDhcp) socket.close();
    throw error;
  });
  for (const [index, each] of interfaces.entries()) {
    const server = new ProxyDhcpServer(services, { name: each.name, address: addressIn(each, subnets) });
    const [dhcp, proxy] = [onDhcp[index], onProxy[index]];
    if (dhcp === undefined || proxy === undefined) continue;
    const [offer, answer] = [senderOf(dhcp, log), senderOf(proxy, log)];
    listen(dhcp, log, (datagram) => server.receiveDiscover(datagram, offer));
    listen(proxy, log, (datagram, from) => server.receiveRequest(datagram, from, answer));
  }
  return {
    close() {
      for (const socket of [...onDhcp, ...onProxy]) socket.close();
    },
  };
}

async function openAll(
  prefix: 'dhcp' | 'proxydhcp',
  interfaces: readonly HostInterface[],
  environment: Environment,
): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  try {
    for (const each of interfaces) sockets.push(await openBoundSocket(prefix, each, environment));
    return sockets;
  } catch (error) {
    for (const socket of sockets) socket.close();
    throw error;
  }
}

/** Returns a function that sends a message. A message that cannot be sent is dropped, and the client asks again. */
function senderOf(socket: Socket, log: Logger) {
  let isOpen = true;
  socket.once('close', () => {
    isOpen = false;
  });
  return (bytes: Uint8Array, { address, port }: Destination): void => {
    if (!isOpen) return;
    const to = ipv4Text(address);
    socket.send(bytes, port, to, (error) => {
      if (error !== null) log.debug({ error, to }, 'DHCP: a message was not sent');
    });
  };
}

/** Passes each datagram to `receive`. What `receive` throws is logged, so that no datagram can end the daemon. */
function listen(
  socket: Socket,
  log: Logger,
  receive: (datagram: Uint8Array, from: Destination) => void,
): void {
  socket.on('error', (error) => log.error({ error }, 'DHCP: the socket failed'));
  socket.on('message', (datagram, { address, port }) => {
    try {
      receive(datagram, { address: parseIpv4(address) ?? 0, port });
    } catch (error) {
      log.error({ error, from: address }, 'DHCP: a message could not be answered');
    }
  });
}

/** Runs `action` now and every ten minutes, until the returned function is called. */
function repeat(clock: Clock, action: () => void): () => void {
  action();
  let cancel = clock.after(SEARCH_MILLISECONDS, again);
  function again() {
    action();
    cancel = clock.after(SEARCH_MILLISECONDS, again);
  }
  return () => cancel();
}
