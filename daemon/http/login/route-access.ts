// Which paths need no login, and which role a request needs.
import { withoutTrailingSlashes } from '../../lib/network/ip.ts';
import { isJsonObject } from '../../model/json.ts';
import { fault } from '../../model/faults.ts';
import { type Role, roles } from '../../model/roles.ts';
import { clientPath } from '../openapi.ts';
import type { ApiRequest, Route } from '../route.ts';

const SUFFIX = /\.(?:json|xml)$/;
const PLAIN_NAME = /^[a-z0-9-]+$/;

/**
 * Returns a function that tells whether a path, as the client sent it, is the path of a public route, with or without the suffix
 * .json or .xml. A path that needs decoding or is spelt differently does not count as public: otherwise the router could read it as
 * another route.
 */
export function publicPaths(routes: readonly Route[]): (pathname: string) => boolean {
  const paths = routes.filter((route) => route.public === true).map(({ path }) => clientPath(path));
  const forms = [...new Set(paths)].map((path) => withoutTrailingSlashes(path));
  return (pathname) => {
    const asked = withoutTrailingSlashes(pathname);
    return forms.some((form) => isAt(form, SUFFIX.test(form) ? asked : asked.replace(SUFFIX, '')));
  };
}

function isAt(form: string, path: string): boolean {
  const parts = form.split('/');
  const asked = path.split('/', parts.length + 1);
  return (
    parts.length === asked.length &&
    parts.every((part, index) =>
      part.startsWith(':') ? PLAIN_NAME.test(asked[index] ?? '') : part === asked[index],
    )
  );
}

const NODE = '/v1/nodes/:node';
const ALLOCATIONS = '/v1/allocations';
/** A vendor method can do anything, whatever the HTTP verb. Only reading the list of vendor methods is harmless. */
const PASSTHRU = /\/vendor_passthru(?!\/methods$)/;
/** Whoever sets these fields decides which BMC the daemon connects to, how, and with which credentials. */
const OF_DRIVER = /^\/(?:driver|driver_info|[a-z]+_interface)(?:\/|$)/;

/** Throws RoleTooLow. Routes that need no login need no role. */
export function refuseLowRole(route: Route, request: ApiRequest): void {
  if (route.public === true) return;
  const needed = route.needs ?? (route.secret === true ? 'admin' : neededRole(route, request));
  const { user, role } = request.caller;
  // every role includes what a reader may do
  if (needed === 'reader' || includesRole(role, needed)) return;
  throw fault('RoleTooLow', { user: user ?? '', role, needed, method: route.method, path: request.path });
}

/**
 * An operator may change what enrolled nodes do: the fields of a node except those of its driver, every path below a node except
 * its vendor methods and secrets, and allocations. Only an admin may call vendor methods, see secrets, or change which nodes are
 * enrolled, how their BMCs are reached, and what holds for all nodes.
 */
function neededRole(
  { method, path, media }: Route,
  { body, query }: Pick<ApiRequest, 'body' | 'query'>,
): Role {
  if (PASSTHRU.test(path)) return 'admin';
  if (media === 'websocket') return query['read_only'] === true ? 'reader' : 'operator';
  if (method === 'GET') return 'reader';
  if (path === NODE) return method === 'PATCH' && !changesDriver(body) ? 'operator' : 'admin';
  return [NODE, ALLOCATIONS].some((first) => path.startsWith(`${first}/`)) || path === ALLOCATIONS
    ? 'operator'
    : 'admin';
}

const changesDriver = (patch: unknown): boolean =>
  !Array.isArray(patch) ||
  patch.some(
    (each) =>
      !isJsonObject(each) ||
      [each['path'], each['from']].some((path) => typeof path === 'string' && OF_DRIVER.test(path)),
  );

export const includesRole = (role: Role, needed: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed);
