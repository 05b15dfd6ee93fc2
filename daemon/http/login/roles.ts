// What the users of http_basic may do, by role.
import type { Config } from '../../config/sections/core-sections.ts';
import { fault } from '../../model/faults.ts';
import type { Route } from '../route.ts';

/** Each includes the one before it. */
const ROLES = ['reader', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Requests that change nothing, though they are no GET. */
const READING: ReadonlySet<string> = new Set(['/v1/nodes/:node/steps/plan']);

/** Below these paths operators may change things: what a machine does, not who may, with which passwords or by which rules. */
const OPERATED = [
  '/v1/nodes/:node/states',
  '/v1/nodes/:node/maintenance',
  '/v1/nodes/:node/management',
  '/v1/nodes/:node/vifs',
  '/v1/nodes/:node/vmedia',
  '/v1/nodes/:node/inventory',
  '/v1/nodes/:node/traits',
  '/v1/nodes/:node/allocation',
  '/v1/nodes/:node/quarantine',
  '/v1/allocations',
];

/** A vendor's method may do anything, whatever the method of the request is. */
const isPassthru = (path: string) => path.includes('/vendor_passthru') && !path.endsWith('/methods');

/** Returns the least role that may send requests to the route. */
export function roleFor({ method, path }: Pick<Route, 'method' | 'path'>): Role {
  if (isPassthru(path)) return 'admin';
  if (method === 'GET' || READING.has(path)) return 'reader';
  return OPERATED.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)) ? 'operator' : 'admin';
}

/** Returns the role of a user; null: nobody is asked who they are, or a ramdisk, which no role limits. */
export function roleOf({ users }: Pick<Config, 'users'>, user: string | null): Role {
  if (user === null) return 'admin';
  const listed = ROLES.find((role) => users[`${role}s`].includes(user));
  return listed ?? users.default_role;
}

/** Throws RoleForbids. */
export function refuseBeyondRole(
  config: Pick<Config, 'users'>,
  user: string | null,
  route: Pick<Route, 'method' | 'path'>,
): void {
  const [own, needed] = [roleOf(config, user), roleFor(route)];
  if (user === null || ROLES.indexOf(own) >= ROLES.indexOf(needed)) return;
  throw fault('RoleForbids', { user, role: own, method: route.method, path: route.path, needed });
}
