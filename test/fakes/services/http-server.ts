// Servers on this host, for HTTP, HTTPS or raw bytes, that are stopped when the test ends.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { TestContext } from 'node:test';
import { certificateFiles } from './certificates.ts';
import { readFileSync } from 'node:fs';

type Answer = (message: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface LoopbackServer {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** The sockets of all connections so far. */
  readonly sockets: readonly Socket[];
}

type Server = ReturnType<typeof createPlainServer>;

async function listening(t: TestContext, server: Server, place: string): Promise<LoopbackServer> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  server.listen(place.startsWith('/') ? { path: place } : { host: place, port: 0 });
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = place.startsWith('/') ? 0 : (server.address() as AddressInfo).port;
  return { port, sockets };
}

/** `place`: the IP address, or the path of the Unix socket, where the server listens. */
export const httpServer = (t: TestContext, answer: Answer, place = '127.0.0.1') =>
  listening(
    t,
    createServer({ keepAliveTimeout: 60_000 }, (message, response) => void answer(message, response)),
    place,
  );

/** A server whose certificate is for 127.0.0.1 and localhost. */
export function httpsServer(t: TestContext, answer: Answer, options: SecureContextOptions & TlsOptions = {}) {
  const { cert, key } = certificateFiles(t);
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  return listening(
    t,
    createSecureServer({ ...pair, ...options }, (message, response) => void answer(message, response)),
    '0.0.0.0',
  );
}

/** A server that answers the first data of a connection with `bytes`, then ends the connection unless `isLeftOpen`. */
export const rawServer = (t: TestContext, bytes: string | Buffer, isLeftOpen = false) =>
  listening(
    t,
    createPlainServer((socket) =>
      socket.once('data', () => (isLeftOpen ? socket.write(bytes) : socket.end(bytes))),
    ),
    '127.0.0.1',
  );

/** Resolves when the connection has ended, for any reason. */
export const ended = (socket: Socket) =>
  new Promise<void>((resolve) => void (socket.closed ? resolve() : socket.once('close', () => resolve())));
