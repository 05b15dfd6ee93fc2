// Serves DHCP on one network interface for as long as the interface has a link and an address in its subnet.
import type { Socket } from 'node:dgram';
import { isDeepStrictEqual } from 'node:util';
import type { IpNumber, SubnetOf } from '../../config/dhcp-subnet.ts';
import type { Attempt, Links } from '../../lib/network/links.ts';
import { ipText, isGlobalUnicast, parseIp } from '../../lib/network/ipv6.ts';
import type { Logger } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import {
  deviceIndexOf,
  type DhcpSocketPrefix as Prefix,
  type HostInterface,
  openPassedSocket,
  type PassedSocket,
} from './bound-socket.ts';
import { addressIn } from './configured-subnets.ts';
import type { Destination } from './reply.ts';

/** Sends from the socket with the prefix. A message that cannot be sent is dropped, and the client asks again. */
export type Send<A extends IpNumber = number> = (
  prefix: Prefix,
  bytes: Uint8Array,
  to: Destination<A>,
) => void;

interface Sender {
  readonly socket: Socket;
  readonly log: Logger;
  /** The interface of IPv6 addresses that are valid on one link only. */
  readonly zone?: string;
}

/** Where a server answers: the interface, its device and MAC address, and the server's address on it. */
export interface ServedPlace<A extends IpNumber = number> {
  readonly name: string;
  /** As `deviceIndexOf` returns it. */
  readonly index: number | undefined;
  readonly mac: string;
  readonly address: A;
}

/** A server that runs on an interface. */
export interface Running<A extends IpNumber = number> {
  /** Handles a datagram that arrived at the socket with the prefix. */
  receive(prefix: Prefix, datagram: Uint8Array, from: Destination<A>): void;
  end(): void;
}

export interface InterfaceParts<A extends IpNumber = number> {
  readonly name: string;
  /** `DHCP` or `DHCPv6`. */
  readonly protocol: string;
  /** As `placeOn` returns it. */
  readonly place: () => ServedPlace<A> | string;
  /** The sockets that the server needs. */
  readonly prefixes: readonly Prefix[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly links: Pick<Links, 'follow'>;
  readonly log: Logger;
  /** Starts a server. */
  readonly begin: (at: ServedPlace<A>, send: Send<A>) => Running<A>;
}

/** Rejects with an Error when the daemon was not passed a socket that it needs. */
export async function serveInterface<A extends IpNumber>(parts: InterfaceParts<A>): Promise<() => void> {
  const { name, protocol, links, log, begin } = parts;
  const sockets = await openAll(parts);
  let serving: { readonly at: ServedPlace<A>; readonly server: Running<A> } | undefined;
  let isClosed = false;
  const stop = () => {
    serving?.server.end();
    serving = undefined;
  };
  const send: Send<A> = (prefix, bytes, to) => {
    const passed = sockets.get(prefix);
    if (!isClosed && passed !== undefined) sendFrom({ socket: passed.socket, log, zone: name }, bytes, to);
  };
  for (const [prefix, { socket }] of sockets)
    listenOnInterface<A>(socket, log, (datagram, from) => serving?.server.receive(prefix, datagram, from));
  const serve = async (): Promise<Attempt> => {
    const at = parts.place();
    if (typeof at !== 'string' && isDeepStrictEqual(at, serving?.at)) return 'serving';
    // until the sockets are bound to the device, datagrams may come from other networks: none is handled
    stop();
    if (typeof at === 'string') return { missing: at };
    const missing = await bindAll(sockets.values());
    if (missing !== undefined) return { missing };
    if (isClosed) return 'done';
    serving = { at, server: begin(at, send) };
    log.info({ interface: name, address: ipText(at.address) }, `serving ${protocol}`);
    return 'serving';
  };
  await links.follow({ what: `${protocol} on ${name}`, onInterface: name, attempt: serve });
  return () => {
    isClosed = true;
    stop();
    for (const { socket } of sockets.values()) socket.close();
  };
}

/** A message that cannot be sent is dropped. */
export function sendFrom<A extends IpNumber>(
  { socket, log, zone = '' }: Sender,
  bytes: Uint8Array,
  { address, port }: Destination<A>,
): void {
  const isOnLink = typeof address === 'bigint' && !isGlobalUnicast(address);
  const to = isOnLink ? `${ipText(address)}%${zone}` : ipText(address);
  socket.send(bytes, port, to, (error) => {
    if (error !== null) log.debug({ error, to }, 'DHCP: a message was not sent');
  });
}

/** Returns where to serve; if the interface lacks something, what it lacks, as a sentence without its full stop. */
export function placeOn<A extends IpNumber>(
  name: string,
  found: HostInterface | string,
  subnets: readonly SubnetOf<A>[],
): ServedPlace<A> | string {
  if (typeof found === 'string') return found;
  const address = addressIn(found, subnets);
  return typeof address === 'string'
    ? address
    : { name, index: deviceIndexOf(name), mac: found.mac, address };
}

async function openAll({
  name,
  prefixes,
  environment,
}: Pick<InterfaceParts, 'name' | 'prefixes' | 'environment'>): Promise<Map<Prefix, PassedSocket>> {
  const sockets = new Map<Prefix, PassedSocket>();
  try {
    for (const prefix of prefixes) sockets.set(prefix, await openPassedSocket(prefix, name, environment));
    return sockets;
  } catch (error) {
    for (const { socket } of sockets.values()) socket.close();
    throw error;
  }
}

/** Resolves with undefined, or with the reason why a socket cannot be bound. */
async function bindAll(sockets: Iterable<PassedSocket>): Promise<string | undefined> {
  try {
    for (const passed of sockets) await passed.bind();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Passes each datagram to `receive`. What `receive` throws is logged, so that no datagram can end the daemon. */
export function listenOnInterface<A extends IpNumber = number>(
  socket: Socket,
  log: Logger,
  receive: (datagram: Uint8Array, from: Destination<A>) => void,
): void {
  socket.on('error', (error) => log.error({ error }, 'DHCP: the socket failed'));
  socket.on('message', (datagram, { address, port }) => {
    try {
      const sender = parseIp(address.split('%', 1)[0] ?? '');
      // the socket has one family, and so has its sender
      if (sender !== undefined) receive(datagram, { address: sender as A, port });
    } catch (error) {
      log.error({ error, from: address }, 'DHCP: a message could not be answered');
    }
  });
}
