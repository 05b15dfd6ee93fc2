// The path by which a request is routed: complete, even if the client left out `/v1`, and without the suffix `.json` in requests
// before API 1.91.
import { getPath } from 'hono/utils/url';
import type { Services } from '../conductor/services.ts';
import { requestedMinor } from '../model/microversions.ts';
import { DOCUMENT_ROUTE } from './openapi.ts';
import type { Route } from './route.ts';

/** Returns `wholePath` without a meaningless `.json` suffix. */
export const routedPath = (request: Request, presentPath: PathRewrite): string =>
  withoutSuffix(wholePath(request, presentPath), request.headers);

/** Returns the current path for an old path; any other path unchanged. */
export type PathRewrite = (path: string) => string;

/**
 * Returns the decoded path without trailing and doubled slashes, with `/v1` where the request left it out, and rewritten by
 * `presentPath`.
 */
function wholePath(request: Request, presentPath: PathRewrite): string {
  const plain = getPath(request)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  if (plain === '' || plain === '/v1') return plain === '' ? '/' : plain;
  return presentPath(plain.startsWith('/v1/') ? plain : `/v1${plain}`);
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
  const header = (name: string) => headers.get(name) ?? undefined;
  try {
    return (
      requestedMinor(header('openstack-api-version'), header('x-openstack-ironic-api-version')) <
      SUFFIX_KEPT_SINCE
    );
  } catch {
    return false;
  }
}

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
  presentPath: PathRewrite,
): Readonly<Record<string, string>> {
  if (namedIn === undefined || wholePath(request, presentPath) === path) return parameters;
  const [[parameter, name] = ['', '']] = Object.entries(parameters);
  const table = namedIn(services);
  const known = (identifier: string) =>
    table.get(identifier.toLowerCase()) ?? table.findBy('name', identifier);
  const whole = name + SUFFIX;
  return known(name) === undefined && known(whole) !== undefined ? { [parameter]: whole } : parameters;
}
