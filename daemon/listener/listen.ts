// Listens for requests on a TCP port or a Unix socket, with or without TLS.
import { chmodSync } from 'node:fs';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../config/sections/core-sections.ts';
import type { Logger } from '../lib/logger.ts';
import { keepCurrent, openCertificate } from './certificate.ts';
import { inTurn } from './in-turn.ts';
import { removeDeadSocket } from './unix-socket.ts';

/** Owner and group may connect. */
const SOCKET_MODE = 0o660;

type Fetch = (request: Request) => Response | Promise<Response>;

export interface Listener {
  /** Such as `https://192.0.2.10:6385`, or `unix:` followed by a path. */
  readonly url: string;
  /** Accepts no new connections and closes idle ones. Resolves when the last connection has ended. */
  close(): Promise<void>;
  /** Closes every connection at once, even during a request. */
  closeConnections(): void;
}

/** Resolves when the server listens. Rejects with a one-sentence error when it cannot. */
export async function listen(fetch: Fetch, options: Config['api'], log: Logger): Promise<Listener> {
  const server = createServer(fetch, options, log);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await started(server, options);
  return {
    url: urlOf(server, options.enable_ssl_api ? 'https' : 'http'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    closeConnections() {
      // the server's own method misses connections that are still in their TLS handshake
      for (const socket of connections) socket.destroy();
    },
  };
}

function createServer(fetch: Fetch, options: Config['api'], log: Logger): Server {
  const serve = inTurn(getRequestListener(fetch));
  if (!options.enable_ssl_api) return createPlainServer(serve);
  const certificate = openCertificate(options, log);
  const server = createTlsServer({ ...certificate() }, serve);
  keepCurrent(server, certificate);
  return server;
}

async function started(server: Server, { unix_socket: path, host_ip: host, port }: Config['api']) {
  if (path !== null) await removeDeadSocket(path);
  const place = path === null ? `${host} port ${port} ([api] host_ip, port)` : `${path} ([api] unix_socket)`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message;
      reject(new Error(`Cannot listen on ${place}: ${taken}.`, { cause: error }));
    });
    server.listen(path === null ? { host, port } : { path }, resolve);
  });
  if (path !== null) chmodSync(path, SOCKET_MODE);
}

function urlOf(server: Server, scheme: string): string {
  const address = server.address();
  if (address === null) throw new Error('the server has no address');
  if (typeof address === 'string') return `unix:${address}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}
