// Starts the boot HTTP server in a separate thread, and looks up in the table of served names what that thread asks for.
import { Worker } from 'node:worker_threads';
import type { Config } from '../../config/sections/core-sections.ts';
import type { ReportMissing } from '../../lib/network/links.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ConnectionLimits } from '../../listener/admission.ts';
import type { ListenAddress } from '../../listener/listen-address.ts';
import type { BootEvent, RecordBootEvent } from '../boot-event.ts';
import type { Served, ServedFiles, Withheld } from '../served-files.ts';
import type { BootHttpServer } from './boot-http-server.ts';
import { hostInUrl } from '../../lib/network/ip.ts';

export interface ThreadSetup {
  readonly address: ListenAddress;
  readonly limits: ConnectionLimits;
}

export type FromThread =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** What the server lacks to listen, as `Links` reports it. */
  | { readonly kind: 'missing'; readonly missing: string | undefined }
  | { readonly kind: 'find'; readonly question: number; readonly name: string; readonly address: string }
  | { readonly kind: 'event'; readonly event: BootEvent }
  | { readonly kind: 'fault'; readonly stack: string };

export type ToThread =
  | { readonly kind: 'found'; readonly question: number; readonly served: Served | Withheld | undefined }
  | { readonly kind: 'close' };

interface Surroundings {
  readonly files: Pick<ServedFiles, 'findFor'>;
  readonly record: RecordBootEvent;
  readonly reportMissing: ReportMissing;
  readonly log: Logger;
}

/**
 * Resolves with undefined when neither a port is configured nor a socket was passed. `passed`: the socket that systemd passed; it
 * takes precedence over [boot_http] port and host_ip. Rejects with an Error when the server cannot listen.
 */
export async function startBootHttp(
  config: Pick<Config, 'DEFAULT' | 'boot_http' | 'deploy'>,
  passed: number | undefined,
  surroundings: Surroundings,
): Promise<BootHttpServer | undefined> {
  const { max_connections, max_connections_per_client } = config.boot_http;
  const address = addressOf(config.boot_http, passed);
  if (address === undefined) return undefined;
  const limits = { connections: max_connections, connectionsPerClient: max_connections_per_client };
  const server = await startThread({ address, limits }, surroundings);
  return { ...server, url: config.deploy.http_url ?? reachable(server.url, config.DEFAULT.my_ip) };
}

function addressOf({ port, host_ip: host }: Config['boot_http'], passed?: number): ListenAddress | undefined {
  if (passed !== undefined) return { kind: 'passed', descriptor: passed };
  return port === null ? undefined : { kind: 'tcp', host, port };
}

function startThread(
  setup: ThreadSetup,
  { files, record, reportMissing, log }: Surroundings,
): Promise<BootHttpServer> {
  const thread = new Worker(new URL('boot-http-thread.ts', import.meta.url), { workerData: setup });
  const send = (message: ToThread) => thread.postMessage(message, []);
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const close = async () => {
    send({ kind: 'close' });
    await ended;
  };
  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'event') record(message.event);
      else if (message.kind === 'find')
        send({
          kind: 'found',
          question: message.question,
          served: copied(files.findFor(message.name, message.address)),
        });
      else if (message.kind === 'missing') reportMissing('boot HTTP', message.missing);
      else if (message.kind === 'listening') resolve({ url: message.url, close });
      else if (message.kind === 'fault')
        log.error({ stack: message.stack }, 'failure outside any request to the boot HTTP server');
      else {
        void close();
        reject(new Error(message.reason));
      }
    });
    thread.on('error', (error) => {
      log.error(
        { error },
        'the boot HTTP server failed; machines get no files over HTTP until the daemon is restarted',
      );
      reject(error);
    });
  });
}

/** The URL that machines use, with `myIp` as its host when the server listens on all addresses. */
function reachable(listening: string, myIp: string): string {
  const url = new URL(listening);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = hostInUrl(myIp);
  return url.origin;
}

/** Copies the bytes: they may be a view of a larger buffer, and the whole buffer would be sent to the thread. */
const copied = (served: Served | Withheld | undefined): Served | Withheld | undefined =>
  served?.kind === 'bytes' ? { kind: 'bytes', bytes: new Uint8Array(served.bytes) } : served;
