// Which of the routes of a path serves a request, by its method and API version.
import { fault } from '../../model/faults.ts';
import type { Route } from '../route.ts';

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
