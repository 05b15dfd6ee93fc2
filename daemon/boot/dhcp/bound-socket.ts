// A UDP socket that receives and sends on one network interface only. Node.js cannot bind a socket to an interface: systemd or
// daemon/cli/with-sockets passes the socket, and daemon/cli/bind-socket binds it.
import { spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { passedSockets } from '../../lib/passed-sockets.ts';
import { reasonOf } from '../../model/faults.ts';

/** An interface of this host that has a link, with its addresses of one family. */
export interface HostInterface {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** Returns the interface; if it has no link or no address of the family, the reason, as a sentence without its full stop. */
export function hostInterface(name: string, wanted: 'IPv4' | 'IPv6' = 'IPv4'): HostInterface | string {
  const found = networkInterfaces()[name] ?? [];
  const [first, ...others] = found.filter(({ family }) => family === wanted);
  if (first !== undefined)
    return { name, mac: first.mac, addresses: [first, ...others].map(({ address }) => address) };
  if (!exists(name)) return `this host has no interface ${name}; correct the name, or create the interface`;
  return found.length > 0
    ? `${name} has no ${wanted} address; give it one`
    : `${name} has no link, or no address; connect it, switch on the machine or switch at its other end, or give it an address`;
}

/** Node.js lists only interfaces with a link; /proc/self/net/dev lists all, one per line, with a colon after the name. */
function exists(name: string): boolean {
  const lines = readFileSync('/proc/self/net/dev', 'latin1').split('\n');
  return lines.some((line) => line.trimStart().startsWith(`${name}:`));
}

/**
 * The kernel's number for the device of this name; another device gets another number. Read from a line such as
 * `4<TAB>eth0      :     1      V3`; undefined for a device that is in no multicast group, as one that is down.
 */
export function deviceIndexOf(name: string): number | undefined {
  const lines = readFileSync('/proc/self/net/igmp', 'latin1').matchAll(/^(\d+)\t(\S+?)\s*:/gm);
  const line = lines.find(([, , device]) => device === name);
  return line && Number(line[1]);
}

const RECEIVE_BUFFER_BYTES = 1_048_576;

/** `dhcp6` is UDP of IPv6, the others are of IPv4. */
export type DhcpSocketPrefix = 'dhcp' | 'proxydhcp' | 'dhcp6';

export interface PassedSocket {
  readonly socket: Socket;
  /** Binds the socket to its interface, also when the interface is another device now. Rejects with an Error when it cannot. */
  bind(): Promise<void>;
}

/**
 * Opens the passed socket called `PREFIX-INTERFACE`, which receives on all interfaces until `bind` is called. Rejects with an
 * Error when there is no such socket.
 */
export async function openPassedSocket(
  prefix: DhcpSocketPrefix,
  onInterface: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<PassedSocket> {
  const name = `${prefix}-${onInterface}`;
  const [fd] = passedSockets(name, environment);
  if (fd === undefined)
    throw new Error(
      `[dhcp_server] subnet: interface=${onInterface}: the daemon was passed no socket called ${name}, and may not open it itself. Enable ironic-edge-${prefix}@${onInterface}.socket, or start the daemon with "with-sockets ${name} -- ironic-edge serve" (from a checkout: daemon/cli/with-sockets).`,
    );
  const isIpv6 = prefix === 'dhcp6';
  const socket = createSocket(isIpv6 ? 'udp6' : 'udp4');
  try {
    // for a passed socket, Node.js emits the event during bind()
    const listening = once(socket, 'listening');
    socket.bind({ fd });
    await listening;
    if (!isIpv6) socket.setBroadcast(true);
    // when a rack is switched on, all its machines ask at the same time
    if (socket.getRecvBufferSize() < RECEIVE_BUFFER_BYTES) socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
    return {
      socket,
      async bind() {
        await bindDescriptor(fd, onInterface);
        if (isIpv6) joinGroups(socket, onInterface);
      },
    };
  } catch (error) {
    socket.close();
    throw new Error(`The passed socket ${name} (descriptor ${fd}) cannot be used: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** All DHCPv6 servers and relays on the link, and the servers of the site, which relays ask (RFC 8415, 7.1). */
const GROUPS = ['ff02::1:2', 'ff05::1:3'];

/** The groups are left first, because the interface may be another device now. */
function joinGroups(socket: Socket, onInterface: string): void {
  for (const group of GROUPS) {
    const at = `::%${onInterface}`;
    try {
      socket.dropMembership(group, at);
    } catch {
      // it was no member
    }
    socket.addMembership(group, at);
  }
}

const BIND_SOCKET = path.join(import.meta.dirname, '../../cli/bind-socket');

/** Binds the socket to the interface. Rejects with an Error whose message is the reason, without a full stop. */
export async function bindDescriptor(descriptor: number, onInterface: string): Promise<void> {
  const child = spawn(BIND_SOCKET, [onInterface], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    env: { PATH: process.env['PATH'] },
  });
  let words = '';
  child.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0)
    throw new Error(`its socket cannot be used: ${words.trim() || `${BIND_SOCKET} ended with ${status}`}`);
}
