// The meaningless suffix `.json`, which paths may have in requests before API 1.91. Names may end in it, too.
import type { Services } from '../conductor/services.ts';
import { requestedMinor } from '../model/microversions.ts';
import { DOCUMENT_ROUTE } from './openapi.ts';

const SUFFIX = '.json';
const KEPT_SINCE = 91;

export function withoutSuffix(path: string, headers: Headers): string {
  if (!path.endsWith(SUFFIX) || path === DOCUMENT_ROUTE || !isOld(headers)) return path;
  return path.slice(0, -SUFFIX.length);
}

// an invalid version is refused later
function isOld(headers: Headers): boolean {
  const header = (name: string) => headers.get(name) ?? undefined;
  try {
    return (
      requestedMinor(header('openstack-api-version'), header('x-openstack-ironic-api-version')) < KEPT_SINCE
    );
  } catch {
    return false;
  }
}

const NAMED: Readonly<Record<string, 'nodes' | 'portgroups' | 'allocations' | 'deployTemplates'>> = {
  '/v1/nodes/:node': 'nodes',
  '/v1/portgroups/:id': 'portgroups',
  '/v1/allocations/:id': 'allocations',
  '/v1/deploy_templates/:id': 'deployTemplates',
};

/** Returns the path parameters, with the removed suffix restored if only a record with the longer name exists. */
export function eitherReading(
  { db }: Services,
  routePath: string,
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const table = NAMED[routePath];
  const [[parameter, name] = ['', '']] = Object.entries(parameters);
  if (table === undefined) return parameters;
  const known = (identifier: string) =>
    db[table].get(identifier.toLowerCase()) ?? db[table].findBy('name', identifier);
  const whole = name + SUFFIX;
  return known(name) === undefined && known(whole) !== undefined ? { [parameter]: whole } : parameters;
}
