// Where a server listens: a TCP port, a Unix socket, or a socket that systemd has opened and passed.
import { chmodSync } from 'node:fs';
import type { Server } from 'node:net';
import type { Links } from '../lib/network/links.ts';
import { listeningProcess, type ListeningPlace } from './listening-process.ts';
import { removeDeadSocket } from './unix-socket.ts';
import { hostInUrl } from '../lib/network/ip.ts';

export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'passed'; readonly descriptor: number };

/** Owner and group may connect. */
const SOCKET_MODE = 0o660;

export type ListeningSection = 'api' | 'ramdisk' | 'boot_http';

const NAMES: Readonly<Record<ListeningSection, string>> = {
  api: 'API',
  ramdisk: 'ramdisk listener',
  boot_http: 'boot HTTP',
};

/**
 * Resolves when the server listens, or when this host does not have the address yet: the server then listens as soon as the host
 * has the address. If it cannot, rejects with a one-sentence Error that names the options of `section`, or the descriptor of the
 * socket that systemd passed.
 */
export async function listenAt(
  server: Server,
  address: ListenAddress,
  section: ListeningSection,
  links: Pick<Links, 'follow'>,
): Promise<void> {
  // if a connection cannot be accepted, that error must not end the process
  server.on('error', () => {});
  const attempt = async () => {
    try {
      if (address.kind === 'unix') await removeDeadSocket(address.path);
      await listening(server, address);
      if (address.kind === 'unix') chmodSync(address.path, SOCKET_MODE);
      return 'done';
    } catch (error) {
      const advice = adviceOn(error as NodeJS.ErrnoException, address, section);
      const place = placeOf(address, section);
      if (isAbsent(error, address)) return { missing: `this host does not have ${place}: ${advice}` };
      throw new Error(`Cannot listen on ${place}: ${advice}.`, { cause: error });
    }
  };
  await links.follow({ what: NAMES[section], attempt });
}

/** A port that the kernel is to choose is refused, because URLs have to name it. */
const isAbsent = (error: unknown, address: ListenAddress): boolean =>
  (error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL' && address.kind === 'tcp' && address.port !== 0;

const listening = (server: Server, address: ListenAddress): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.kind === 'passed' ? { fd: address.descriptor } : address, () => {
      server.removeListener('error', reject);
      resolve();
    });
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

function taken(place: ListeningPlace, search: string): string {
  const holder = listeningProcess(place);
  return holder === undefined
    ? `another program listens there; find it with "${search}" as root and stop it`
    : `${holder} listens there; stop it`;
}

/**
 * Returns a text such as `http://192.0.2.10:6385`, or `unix:` followed by a path; also for a server that does not listen at
 * `wanted` yet. Throws if the socket has no address to show.
 */
export function urlOf(server: Server, scheme: 'http' | 'https', wanted: ListenAddress): string {
  const isWaiting = !server.listening && wanted.kind === 'tcp';
  const address = isWaiting
    ? { family: familyOf(wanted.host), address: wanted.host, port: wanted.port }
    : server.address();
  if (address === null)
    throw new Error(
      'systemd passed a socket without a port; correct the socket unit: ListenStream= needs a port',
    );
  if (typeof address === 'string') return `unix:${address}`;
  return `${scheme}://${hostInUrl(address.address)}:${address.port}`;
}

const familyOf = (host: string): string => (host.includes(':') ? 'IPv6' : 'IPv4');
