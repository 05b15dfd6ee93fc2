// Where a server listens: a TCP port, a Unix socket, or a socket that systemd has opened and passed.
import { chmodSync } from 'node:fs';
import type { Server } from 'node:net';
import { listeningProcess, type Place } from './listening-process.ts';
import { removeDeadSocket } from './unix-socket.ts';

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'passed'; readonly descriptor: number };

/** Owner and group may connect. */
const SOCKET_MODE = 0o660;

/**
 * Resolves when the server listens. If it cannot, rejects with a one-sentence Error that names the options of `section`, or the
 * descriptor of the socket that systemd passed.
 */
export async function listenAt(server: Server, address: ListenAddress, section: string): Promise<void> {
  try {
    if (address.kind === 'unix') await removeDeadSocket(address.path);
    await listening(server, address);
    if (address.kind === 'unix') chmodSync(address.path, SOCKET_MODE);
  } catch (error) {
    const advice = adviceOn(error as NodeJS.ErrnoException, address, section);
    throw new Error(`Cannot listen on ${placeOf(address, section)}: ${advice}.`, { cause: error });
  }
}

const listening = (server: Server, address: ListenAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    // this handler is never removed: if a later connection cannot be accepted, that error must not end the process
    server.on('error', reject);
    server.listen(address.kind === 'passed' ? { fd: address.descriptor } : address, resolve);
  });

function placeOf(address: ListenAddress, section: string): string {
  if (address.kind === 'unix') return `${address.path} ([${section}] unix_socket)`;
  if (address.kind === 'tcp') return `${address.host} port ${address.port} ([${section}] host_ip, port)`;
  return `the socket that systemd passed as descriptor ${address.descriptor}`;
}

/** Returns the cause of the error and what to do about it, as the end of a sentence. */
function adviceOn(error: NodeJS.ErrnoException, address: ListenAddress, section: string): string {
  const isTaken = error.code === 'EADDRINUSE';
  if (address.kind === 'passed') return `${error.message}; correct the socket unit that passes it`;
  if (address.kind === 'unix')
    return isTaken
      ? `${taken(address, 'ss -lxp')}, or set [${section}] unix_socket to another path`
      : `${error.message}; set [${section}] unix_socket to a path in a directory that this user may write to`;
  return isTaken
    ? `${taken(address, 'ss -ltnp')}, or set [${section}] port to a free port`
    : `${error.message}; set [${section}] host_ip to an address of this host, and port to one that this user may use`;
}

function taken(place: Place, search: string): string {
  const holder = listeningProcess(place);
  return holder === undefined
    ? `another program listens there; find it with "${search}" as root and stop it`
    : `${holder} listens there; stop it`;
}

/** Returns a text such as `http://192.0.2.10:6385`, or `unix:` followed by a path. Throws if the socket has no address to show. */
export function urlOf(server: Server, scheme: 'http' | 'https'): string {
  const address = server.address();
  if (address === null)
    throw new Error(
      'systemd passed a socket without a port; correct the socket unit: ListenStream= needs a port',
    );
  if (typeof address === 'string') return `unix:${address}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}
