// The boot HTTP server: sends files to firmware, boot loaders and ramdisks. The table of served names says which file a name
// stands for.
import { createServer } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import type { Links } from '../../lib/network/links.ts';
import { type ConnectionLimits, createAdmission } from '../../listener/admission.ts';
import { inTurn } from '../../listener/in-turn.ts';
import { type ListenAddress, listenAt, urlOf } from '../../listener/listen-address.ts';
import { type Answering, createAnswer } from './answer.ts';
import { createSendFile } from './send-file.ts';

/** A client that has not sent a whole request after this time is disconnected. */
const REQUEST_MILLISECONDS = 10_000;
/** How long a connection may be idle between two requests. */
const IDLE_MILLISECONDS = 15_000;
const CHECK_MILLISECONDS = 1_000;

export interface BootHttpOptions extends Omit<Answering, 'sendFile'> {
  readonly address: ListenAddress;
  readonly limits: ConnectionLimits & { readonly requestMilliseconds?: number };
  readonly clock: Clock;
  readonly links: Pick<Links, 'follow'>;
}

export interface BootHttpServer {
  readonly url: string;
  /** Also ends running transfers. */
  close(): Promise<void>;
}

/** Resolves and rejects as `listenAt` does. */
export async function startBootHttpServer(options: BootHttpOptions): Promise<BootHttpServer> {
  const { address, limits, clock, record, links } = options;
  const { requestMilliseconds = REQUEST_MILLISECONDS } = limits;
  const answer = createAnswer({ ...options, sendFile: createSendFile(clock) });
  const { serve } = inTurn(answer);
  const server = createServer(
    {
      // the name that the machine uses for this server makes no difference
      requireHostHeader: false,
      headersTimeout: requestMilliseconds,
      requestTimeout: requestMilliseconds,
      keepAliveTimeout: IDLE_MILLISECONDS,
      connectionsCheckingInterval: Math.min(CHECK_MILLISECONDS, requestMilliseconds),
    },
    serve,
  );
  // the Expect header concerns the body of a request, and requests here have none
  server.on('checkContinue', serve).on('checkExpectation', serve);
  server.prependListener(
    'connection',
    createAdmission({
      limits,
      named: {
        connections: '[boot_http] max_connections',
        connectionsPerClient: '[boot_http] max_connections_per_client',
      },
      clock,
      report: (client, text) => record({ hop: 'http', address: client, text, failed: true }),
    }),
  );
  await listenAt(server, address, 'boot_http', links);
  return {
    url: urlOf(server, 'http', address),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
