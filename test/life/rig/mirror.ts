// A mirror of Debian that has all that a host, its ramdisk and an instance need: packages as Debian signs them, and an image. The
// process that serves it is outside the namespaces of the rig; inside, it answers at an address of the provisioning network.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BRIDGE } from './network.ts';

const ADDRESS = '10.77.0.2';
const UPSTREAM = 'http://deb.debian.org';
const PACKAGES = '/debian/';
const NAMESPACE = 'mirror';

export const MIRROR = `http://${ADDRESS}`;

/**
 * Serves `folder` at a Unix socket. A file of Debian's archive that the folder lacks is fetched once and kept, so the second run
 * needs no other server. Resolves with a function that ends this.
 */
export async function serveMirror(folder: string, socket: string): Promise<() => void> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch((error: unknown) => {
      console.error(`the mirror cannot serve ${request.url}: ${String(error)}`);
      response.destroy();
    });
  });
  await once(server.listen(socket), 'listening');
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

async function answer(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = normalize(decodeURIComponent(request.url ?? '/'));
  const file = join(folder, path);
  const isThere = sizeOf(file) !== undefined || (path.startsWith(PACKAGES) && (await fetchFile(path, file)));
  if (!isThere) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-length': sizeOf(file) });
  if (request.method === 'HEAD') response.end();
  // a client that disconnects is not a failure of the server
  else await pipeline(createReadStream(file), response).catch(() => undefined);
}

const sizeOf = (file: string): number | undefined => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : undefined;
};

async function fetchFile(path: string, file: string): Promise<boolean> {
  const reply = await fetch(`${UPSTREAM}${path}`).catch(() => undefined);
  if (reply === undefined || !reply.ok || reply.body === null) return false;
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.hrtime.bigint()}`;
  await pipeline(Readable.fromWeb(reply.body), createWriteStream(unfinished));
  renameSync(unfinished, file);
  return true;
}

const ip = (...words: readonly string[]) => execFileSync('ip', words);

/** Connects the mirror at `socket` to the bridge, as a host of its own. Resolves with a function that ends this. */
export function connectMirror(socket: string): () => void {
  // names of namespaces outlive a process that is killed, unless they are in its own mount namespace
  mkdirSync('/run/netns', { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', 'names', '/run/netns']);
  ip('netns', 'add', NAMESPACE);
  ip('link', 'add', 'to-mirror', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', NAMESPACE);
  ip('link', 'set', 'to-mirror', 'master', BRIDGE, 'up');
  ip('-netns', NAMESPACE, 'address', 'add', `${ADDRESS}/24`, 'dev', 'eth0');
  ip('-netns', NAMESPACE, 'link', 'set', 'eth0', 'up');
  const listen = ['socat', 'TCP-LISTEN:80,fork,reuseaddr', `UNIX-CONNECT:${socket}`];
  const relay = spawn('ip', ['netns', 'exec', NAMESPACE, ...listen], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return () => {
    relay.kill();
    ip('netns', 'delete', NAMESPACE);
    execFileSync('umount', ['--lazy', '/run/netns']);
  };
}
