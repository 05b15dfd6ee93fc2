// Which role a request needs.
import { isJsonObject } from '../../model/json.ts';
import { fault } from '../../model/faults.ts';
import { includesRole, type Role } from '../../model/roles.ts';
import type { ApiRequest, Route } from '../route.ts';

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
  if (includesRole(role, needed)) return;
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
