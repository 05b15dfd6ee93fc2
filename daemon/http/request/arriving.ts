// What is judged of a request before anyone is asked who sends it: its client's address, the URL at which the client reached the API,
// its host and the page that it comes from.
import { hostname as machineName } from 'node:os';
import type { Config } from '../../config/sections/core-sections.ts';
import { canonicalIp, isInSubnet, withoutTrailingSlashes } from '../../lib/network/ip.ts';
import { fault } from '../../model/faults.ts';
import { allForwarded, forwardedUrl, type HeaderReader } from './forwarded.ts';

type Trust = Pick<Config, 'oslo_middleware'>;

/** Whether the headers Forwarded and X-Forwarded-* are those of a trusted proxy. `peer`: undefined for a Unix socket. */
const isFromProxy = (config: Trust, peer: string | undefined): boolean =>
  config.oslo_middleware.enable_proxy_headers_parsing &&
  (peer === undefined || isProxy(config, canonicalIp(peer)));

/**
 * Returns the canonical address; null for a Unix socket, unless a trusted proxy names the client. What a proxy sends instead of an
 * address, such as `unknown`, is returned as it is, up to 100 characters. Each proxy appends the address that it saw, and clients
 * may send such headers too, so the last address that is no trusted proxy counts. Forwarded and X-Forwarded-For that name
 * different clients are both ignored: a proxy that sets one of them passes on the other as the client has sent it.
 */
export function clientAddress(config: Trust, peer: string | undefined, header: HeaderReader): string | null {
  const direct = peer === undefined ? null : (canonicalIp(peer) ?? peer);
  if (!isFromProxy(config, peer)) return direct;
  const named = [allForwarded(header), header('x-forwarded-for')?.split(',') ?? []].flatMap(
    (hops) => lastClient(config, hops) ?? [],
  );
  const [client, other = client] = named;
  return client !== undefined && client === other ? client : direct;
}

/** `hops`: the first client, and then the proxies in the order in which the request passed them. */
function lastClient(config: Trust, hops: readonly string[]): string | undefined {
  const given = hops.map((hop) => hop.trim()).filter((hop) => hop !== '');
  const client = given.findLast((hop) => !isProxy(config, addressIn(hop))) ?? given[0];
  return client === undefined ? undefined : (addressIn(client) ?? client.slice(0, 100));
}

const isProxy = ({ oslo_middleware: { trusted_proxies: networks } }: Trust, address: string | undefined) =>
  address !== undefined && networks.some((network) => isInSubnet(address, network));

// matches 192.0.2.1:4711, [2001:db8::1]:4711 and the same without a port
const addressIn = (text: string) =>
  canonicalIp(text) ?? canonicalIp(/^(\[[^\]]*\]|[^:]*):\d+$/.exec(text)?.[1] ?? '');

interface Asked {
  readonly url: string;
  readonly peer: string | undefined;
  readonly header: HeaderReader;
}

/**
 * Returns the URL at which the client reached the API, without a trailing slash; links begin with it. In a request from a trusted
 * proxy, it is the URL in the proxy's headers; otherwise, it is [api] public_endpoint or, if that is not set, the URL of the request.
 * Throws InvalidParameter when a proxy's headers do not form a URL.
 */
export function baseUrl(config: Trust & Pick<Config, 'api'>, { url, peer, header }: Asked): string {
  if (isFromProxy(config, peer)) return forwardedUrl(new URL(url), header);
  const { public_endpoint: endpoint } = config.api;
  return endpoint === null ? new URL(url).origin : withoutTrailingSlashes(endpoint);
}

type Naming = Pick<Config, 'DEFAULT' | 'api' | 'service_catalog'>;

/**
 * Throws SeveralHosts when the request has more than one Host header. Throws ForeignHost for a host name that is not the daemon's
 * own and could be a foreign page's, but only where nothing else keeps such pages out: over TCP, without authentication, and
 * without TLS (with TLS, browsers check the certificate against the name). `rawHeaders`: alternating names and values.
 */
export function refuseForeignHost(
  config: Naming,
  { hostname }: URL,
  rawHeaders: readonly string[] | undefined,
): void {
  const hosts = rawHeaders?.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts !== undefined && hosts.length > 1) throw fault('SeveralHosts', { count: hosts.length });
  const { enable_ssl_api: tls, unix_socket: socket } = config.api;
  if (config.DEFAULT.auth_strategy !== 'noauth' || tls || socket !== null) return;
  const name = hostname.replace(/\.$/, '');
  if (isOutOfReach(name) || isOwnName(config, name)) return;
  throw fault('ForeignHost', { host: hostname });
}

/**
 * Whether no foreign page can have this host name. Whoever runs the network's DNS or answers multicast DNS gives any other name an
 * address, also one without a dot.
 */
const isOutOfReach = (hostname: string): boolean =>
  canonicalIp(hostname) !== undefined || hostname === 'localhost' || hostname.endsWith('.localhost');

function isOwnName({ DEFAULT, api, service_catalog: catalog }: Naming, hostname: string): boolean {
  const own = [DEFAULT.host, machineName()].flatMap((name) => [name, name.split('.', 1)[0] ?? name]);
  const names = [...api.allowed_hosts, ...own].map((name) => name.toLowerCase());
  const urls = [api.public_endpoint, catalog.endpoint_override];
  return (
    names.some((name) => name === '*' || name === hostname) || urls.some((url) => hostOf(url) === hostname)
  );
}

const hostOf = (url: string | null): string | undefined => URL.parse(url ?? '')?.hostname;

const METHODS = 'GET, PUT, POST, DELETE, PATCH';
const VERSION_HEADERS = [
  'X-OpenStack-Ironic-API-Version',
  'X-OpenStack-Ironic-API-Minimum-Version',
  'X-OpenStack-Ironic-API-Maximum-Version',
].join(', ');
const REQUEST_HEADERS = `Authorization, Content-Type, OpenStack-API-Version, X-Auth-Token, ${VERSION_HEADERS}`;

interface PageRules {
  /** Whether the answer takes one of few places for as long as the client stays: a WebSocket or a stream. */
  readonly lasts: boolean;
  /** Whether an origin is that of the API. */
  readonly isOwn: (origin: string) => boolean;
}

export const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * Throws ForeignOrigin for a write, a WebSocket or a stream of events that comes from a page whose origin is neither the
 * API's nor an allowed one. Browsers let any page send such requests to the API, and name the page's origin in them;
 * if a page asks for a stream without the permission to read it, they name only its site, and only to a host that they trust.
 * Other clients name neither.
 */
export function refuseForeignPage(
  cors: Config['cors'],
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  { lasts, isOwn }: PageRules,
): void {
  if (isRead(method) && !lasts) return;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const isForeign =
    origin === null
      ? lasts && (site === 'cross-site' || site === 'same-site')
      : !isOwn(origin) && !isAllowed(cors, origin);
  if (!isForeign) return;
  throw fault('ForeignOrigin', { origin: JSON.stringify((origin ?? site)?.slice(0, 100)) });
}

/** Returns the CORS headers of the answer to a request from `origin`. `preflight`: whether the request is a preflight request. */
export function crossOriginHeaders(
  cors: Config['cors'],
  { origin, preflight }: { readonly origin: string | undefined; readonly preflight: boolean },
): Readonly<Record<string, string>> {
  if (cors.allowed_origin.length === 0) return {};
  const anyOrigin = cors.allowed_origin.includes('*');
  const vary: Readonly<Record<string, string>> = anyOrigin ? {} : { vary: 'Origin' };
  if (origin === undefined || !isAllowed(cors, origin)) return vary;
  return {
    ...vary,
    'access-control-allow-origin': anyOrigin ? '*' : origin,
    // browsers refuse credentials when any origin is allowed
    ...(cors.allow_credentials && !anyOrigin && { 'access-control-allow-credentials': 'true' }),
    ...(preflight
      ? {
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': REQUEST_HEADERS,
          'access-control-max-age': String(cors.max_age),
        }
      : { 'access-control-expose-headers': VERSION_HEADERS }),
  };
}

const isAllowed = ({ allowed_origin: allowed }: Config['cors'], origin: string): boolean =>
  allowed.includes('*') || allowed.includes(origin);
