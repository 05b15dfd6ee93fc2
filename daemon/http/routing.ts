// Which route serves a request: the path by which it is routed, complete even if the client left out `/v1`, with the node first, and
// without the suffix `.json` in requests before API 1.91; the route by method and API version; the records that the path names.
import { getPath } from 'hono/utils/url';
import type { Services } from '../conductor/services.ts';
import { fault } from '../model/faults.ts';
import { requestedMinor } from '../model/microversions.ts';
import { DOCUMENT_ROUTE } from './openapi.ts';
import type { ApiRequest, Route } from './route.ts';

/** Returns `wholePath` without a meaningless `.json` suffix. */
export const routedPath = (request: Request): string => withoutSuffix(wholePath(request), request.headers);

/** Returns the decoded path without trailing and doubled slashes, with `/v1` where the request left it out, and with the node first. */
function wholePath(request: Request): string {
  const plain = getPath(request)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  if (plain === '' || plain === '/v1') return plain === '' ? '/' : plain;
  return nodeFirst(plain.startsWith('/v1/') ? plain : `/v1${plain}`);
}

/** What stands before the node in legacy paths. No node can have the first of these words as its name. */
const PARTS: ReadonlySet<string> = new Set([
  'states',
  ...['power', 'provision', 'raid', 'boot_mode', 'secure_boot', 'console'].map((name) => `states/${name}`),
  ...['boot_device', 'inject_nmi', 'indicators'].map((name) => `management/${name}`),
  'maintenance',
  'vendor_passthru',
]);
const NODES = '/v1/nodes/';

/**
 * Returns a legacy path, which Ironic still routes, with the node moved to the front: /v1/nodes/states/power/NODE. Any other path is
 * returned unchanged.
 */
export function nodeFirst(path: string): string {
  if (!path.startsWith(NODES)) return path;
  const segments = path.slice(NODES.length).split('/');
  // tries two segments before one: in states/power/NODE, "power" is not the node
  for (const length of [2, 1]) {
    const part = segments.slice(0, length).join('/');
    const [node, ...rest] = segments.slice(length);
    if (PARTS.has(part) && node !== undefined && rest.length <= 1)
      return `${NODES}${[node, part, ...rest].join('/')}`;
  }
  return path;
}

const SUFFIX = '.json';
const SUFFIX_KEPT_SINCE = 91;

/** Returns the path without the suffix `.json`, which has no meaning in requests before API 1.91. */
function withoutSuffix(path: string, headers: Headers): string {
  if (!path.endsWith(SUFFIX) || path === DOCUMENT_ROUTE || !isOld(headers)) return path;
  return path.slice(0, -SUFFIX.length);
}

// an invalid version is refused later
function isOld(headers: Headers): boolean {
  try {
    return minorOf(headers) < SUFFIX_KEPT_SINCE;
  } catch {
    return false;
  }
}

/** Returns the minor API version that a request asks for. Throws the faults of `requestedMinor`. */
export const minorOf = (headers: Headers): number =>
  requestedMinor(
    headers.get('openstack-api-version') ?? undefined,
    headers.get('x-openstack-ironic-api-version') ?? undefined,
  );

interface Routed {
  readonly request: Request;
  /** The path that `routedPath` returned. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Returns the parameters in the path at which `request` was routed. A removed `.json` is restored if a record has the name with
 * `.json`, and no record has the name without it.
 */
export function pathParameters(
  services: Services,
  { namedIn }: Route,
  { request, path, parameters }: Routed,
): Readonly<Record<string, string>> {
  if (namedIn === undefined || wholePath(request) === path) return parameters;
  const [[parameter, name] = ['', '']] = Object.entries(parameters);
  const table = namedIn(services);
  const known = (identifier: string) =>
    table.get(identifier.toLowerCase()) ?? table.findBy('name', identifier);
  const whole = name + SUFFIX;
  return known(name) === undefined && known(whole) !== undefined ? { [parameter]: whole } : parameters;
}

const ROOT = '/';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly minor: number;
}

/** Throws MethodNotAllowed, VersionTooOld or VersionedNotFound. */
export function routeFor(routes: ReadonlyMap<string, Route>, { method, path, minor }: Asked): Route {
  const found = routes.get(path === ROOT || (method === 'HEAD' && path === '/v1') ? 'GET' : method);
  const judged = found ?? hiddenRoute(routes, minor);
  if (judged !== undefined) refuseTooOld(judged, path, minor);
  if (found !== undefined) return found;
  throw fault('MethodNotAllowed', { method, path, allowed: [...routes.keys()].join(', ') });
}

/** Returns the oldest of the routes if all are newer than `minor` and answer older versions with 404; otherwise undefined. */
function hiddenRoute(routes: ReadonlyMap<string, Route>, minor: number): Route | undefined {
  const byAge = [...routes.values()].toSorted((a, b) => a.since - b.since);
  return byAge.every(({ since, below = 404 }) => minor < since && below === 404) ? byAge[0] : undefined;
}

function refuseTooOld(route: Route, path: string, minor: number): void {
  if (minor >= route.since) return;
  if (route.below === 406) throw fault('VersionTooOld', { since: route.since });
  if (route.below === 405)
    throw fault('MethodNotAllowed', { method: route.method, path, allowed: `from API 1.${route.since}` });
  throw fault('VersionedNotFound', { path, since: route.since });
}

export function namedRecords(
  services: Services,
  parameters: ApiRequest['parameters'],
  minor: number,
): ApiRequest['named'] {
  const found = new Map<string, unknown>();
  return <R>(parameter: string, find: (...asked: [Services, string, number]) => R): R => {
    if (!found.has(parameter)) found.set(parameter, find(services, parameters[parameter] ?? '', minor));
    return found.get(parameter) as R;
  };
}
