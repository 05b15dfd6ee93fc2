// How an HTTP client connects to its server: directly to any address, directly to allowed addresses only, over a Unix socket,
// or through a proxy.
import { createRequire } from 'node:module';
import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher, ProxyAgent } from 'undici';

// undici is loaded when the first request needs it
const require = createRequire(import.meta.url);

/** TLS settings, named as in Node.js. Ignored for plain HTTP. */
export interface TlsSettings {
  /** The trusted certificates (PEM). Not set: those that the system trusts. */
  readonly ca?: string;
  /** Whether to refuse a server whose certificate is not trusted. Not set: true. */
  readonly rejectUnauthorized?: boolean;
  /** Not set: TLSv1.2. TLSv1.1, for old BMCs, also allows the weak ciphers and keys of its time. */
  readonly minVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** The allowed ciphers, as an OpenSSL cipher list. */
  readonly ciphers?: string;
  /** The name that the server's certificate must have. Not set: the host of the URL. */
  readonly servername?: string;
  /** The client's own certificate and its key (PEM). */
  readonly cert?: string;
  readonly key?: string;
}

/** A route other than a plain TCP connection. Environment variables such as `HTTPS_PROXY` are never read. */
export type ServerRoute =
  | GuardedRoute
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'proxy'; readonly url: string };

/** Connects to allowed addresses only. */
export interface GuardedRoute {
  readonly kind: 'guarded';
  /** Resolves a name to those of its addresses that are allowed, before each connection. */
  readonly lookup: LookupFunction;
  /**
   * Returns why the URL's host is refused if it is an IP address that is not allowed; otherwise undefined. Names are
   * checked by `lookup`.
   */
  readonly refusal: (url: string) => string | undefined;
}

export interface ConnectionSettings {
  readonly tls?: TlsSettings;
  readonly route?: ServerRoute;
  /**
   * How long an idle connection stays open. A shorter timeout in the server's Keep-Alive header takes precedence.
   * Ignored over a proxy.
   */
  readonly idleSeconds?: number;
  /**
   * The time in which the server must accept a connection; the system's timers measure it. Not set: the request's own limit
   * decides. Ignored over a proxy.
   */
  readonly connectSeconds?: number;
}

export interface HttpConnection {
  readonly dispatch: (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => unknown;
  /** Ends the connection, also while it is being set up. */
  readonly destroy: (reason: Error) => void;
}

/** Connects when the first request is dispatched, and again after the server has closed the connection. */
export function openConnection(origin: string, settings: ConnectionSettings): HttpConnection {
  const { route } = settings;
  return route?.kind === 'proxy' ? overProxy(route.url, settings) : direct(origin, settings);
}

// 0 turns undici's timeouts off: HttpClient limits the time of each request itself
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };
const TLS_1_1_CIPHERS = 'DEFAULT@SECLEVEL=0';
const NO_CERTIFICATE = '\n';

function direct(
  origin: string,
  { tls, route, idleSeconds, connectSeconds = 0 }: ConnectionSettings,
): HttpConnection {
  const connect = connectorOf()({
    ...tlsOptions(tls),
    ...(route?.kind === 'socket' && { socketPath: route.path }),
    ...(route?.kind === 'guarded' && { lookup: route.lookup }),
    allowH2: false,
    timeout: connectSeconds * 1000,
  }) as unknown as (...given: readonly unknown[]) => Socket;
  const refusal = route?.kind === 'guarded' ? route.refusal(origin) : undefined;
  let socket: Socket | undefined;
  const client = new (clientOf())(origin, {
    ...NO_TIMEOUTS,
    ...(idleSeconds !== undefined && {
      keepAliveTimeout: idleSeconds * 1000,
      keepAliveMaxTimeout: idleSeconds * 1000,
    }),
    connect: (options, callback) => {
      if (refusal !== undefined) throw new Error(refusal);
      socket = connect(options, callback);
    },
  });
  return {
    dispatch: (options, handler) => client.dispatch(options, handler),
    destroy(reason) {
      void client.destroy(reason);
      socket?.destroy();
    },
  };
}

function overProxy(uri: string, { tls }: ConnectionSettings): HttpConnection {
  const agent = new (proxyAgentOf())({ uri, requestTls: { ...tlsOptions(tls), allowH2: false } });
  return {
    dispatch: (options, handler) => agent.dispatch({ ...options, ...NO_TIMEOUTS }, handler),
    destroy: (reason) => void agent.destroy(reason),
  };
}

/** Returns the options for Node.js. An empty `ca` means no trusted certificate; to Node.js alone it would mean the system's. */
export const tlsOptions = (tls: TlsSettings = {}): TlsSettings => ({
  ...(tls.minVersion === 'TLSv1.1' && { ciphers: TLS_1_1_CIPHERS }),
  ...tls,
  ...(tls.ca === '' && { ca: NO_CERTIFICATE }),
});

// These two files are enough for requests without a proxy. The whole package loads fetch, WebSocket, caches and mocks
// too, in five times the time and memory (decision 0017)
const clientOf = () => require('undici/lib/dispatcher/client.js') as typeof Client;

const connectorOf = () => require('undici/lib/core/connect.js') as typeof buildConnector;

const proxyAgentOf = () => (require('undici') as { ProxyAgent: typeof ProxyAgent }).ProxyAgent;
