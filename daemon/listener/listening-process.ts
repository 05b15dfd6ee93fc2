// Finds the process that already listens on a port or socket, so that an error message can name it. Reads Linux's /proc.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A TCP port, or the path of a Unix socket. */
export type ListeningPlace = { readonly port: number } | { readonly path: string };

const LONGEST_COMMAND = 100;

/**
 * Returns a text such as `process 812 ("/usr/sbin/nginx")`; undefined if no process is found. In /proc, only root can see the
 * sockets of other users' processes.
 */
export function listeningProcess(place: ListeningPlace): string | undefined {
  const sockets = new Set(('path' in place ? unixSockets(place.path) : tcpSockets(place.port)).map(linkTo));
  if (sockets.size === 0) return undefined;
  const pid = namesIn('/proc').find(
    (name) =>
      /^\d+$/.test(name) &&
      namesIn(`/proc/${name}/fd`).some((fd) => sockets.has(targetOf(`/proc/${name}/fd/${fd}`))),
  );
  return pid && `process ${pid} (${JSON.stringify(commandOf(pid))})`;
}

const linkTo = (inode: string | undefined) => `socket:[${inode}]`;

/** The inodes of the sockets that listen on the port, at any address. */
function tcpSockets(port: number): readonly (string | undefined)[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap(rowsOf)
    .filter(([, local, , state]) => local?.endsWith(suffix) === true && state === LISTENING)
    .map((row) => row[9]);
}

const LISTENING = '0A';

function unixSockets(path: string): readonly (string | undefined)[] {
  return rowsOf('/proc/net/unix')
    .filter((row) => row[7] === path)
    .map((row) => row[6]);
}

const rowsOf = (file: string): readonly (readonly string[])[] =>
  textOf(file)
    .split('\n')
    .map((line) => line.split(' ').filter((cell) => cell !== ''));

const commandOf = (pid: string) =>
  textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, LONGEST_COMMAND);

// Processes may have ended, or belong to other users: what cannot be read counts as absent
const textOf = (file: string): string => readable(() => readFileSync(file, 'utf8')) ?? '';
const namesIn = (folder: string): readonly string[] => readable(() => readdirSync(folder)) ?? [];
const targetOf = (link: string): string => readable(() => readlinkSync(link)) ?? '';

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
