// Listens for requests on a TCP port, on a Unix socket or on a socket that systemd passed, with or without TLS.
import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import type { Links } from '../lib/network/links.ts';
import type { Logger } from '../lib/logger.ts';
import { type ConnectionLimits, createAdmission } from './admission.ts';
import { keepCurrent, openCertificate, type TlsOptions } from './certificate.ts';
import { inTurn } from './in-turn.ts';
import { type ListenAddress, listenAt, urlOf } from './listen-address.ts';
import { continueWhenRead, HEAD_TIME_ONLY, inLimitedTime } from './request-time.ts';
import { answerUpgrades, asksForWebSocket, type Fetch } from './upgrades.ts';
import { WebSockets } from './web-sockets.ts';

export interface ListenOptions {
  readonly address: ListenAddress;
  /** Null: plain HTTP. */
  readonly tls: TlsOptions | null;
  /** The section of the configuration that sets these options; error messages name it. */
  readonly section: 'api' | 'ramdisk';
  /** Not set: connections are not limited. */
  readonly limits?: ConnectionLimits;
}

export interface Listener {
  /** A URL such as `https://192.0.2.10:6385`, or `unix:` followed by a path. */
  readonly url: string;
  /** Accepts no new connections; closes idle connections and WebSockets. Resolves when the last connection has ended. */
  close(): Promise<void>;
  /** Closes every connection at once, even during a request. */
  closeConnections(): void;
}

interface Surroundings {
  readonly log: Logger;
  readonly clock: Clock;
  readonly links: Pick<Links, 'follow'>;
}

/** Resolves and rejects as `listenAt` does. */
export async function listen(
  fetch: Fetch,
  options: ListenOptions,
  { log, clock, links }: Surroundings,
): Promise<Listener> {
  const server = createServer(fetch, options, { log, clock });
  const sockets = new WebSockets(clock);
  answerUpgrades(server, fetch, sockets);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const { limits, section } = options;
  if (limits !== undefined) {
    const named = `of the listener [${section}]`;
    const report = (client: string, text: string) => log.warn({ client }, `a client ${text}`);
    server.prependListener(
      'connection',
      createAdmission({ limits, named: { connections: named, connectionsPerClient: named }, clock, report }),
    );
  }
  await listenAt(server, options.address, section, links);
  return {
    url: urlOf(server, options.tls === null ? 'http' : 'https', options.address),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        sockets.close();
      }),
    closeConnections() {
      // the server's own method misses connections that are still in their TLS handshake
      for (const socket of connections) socket.destroy();
    },
  };
}

function createServer(
  fetch: Fetch,
  { tls, section }: ListenOptions,
  { log, clock }: Pick<Surroundings, 'log' | 'clock'>,
): Server {
  const turns = inTurn(inLimitedTime(fetch, clock));
  const options: ServerOptions = {
    ...HEAD_TIME_ONLY,
    // while an earlier request of the same connection is being served, a new one waits, and is then served without an upgrade
    shouldUpgradeCallback: (request) => asksForWebSocket(request) && !turns.isBusy(request.socket),
  };
  if (tls === null) return continueWhenRead(createPlainServer(options, turns.serve), turns.serve);
  const certificate = openCertificate(tls, section, log);
  const server = createTlsServer({ ...options, ...certificate() }, turns.serve);
  keepCurrent(server, certificate);
  return continueWhenRead(server, turns.serve);
}
