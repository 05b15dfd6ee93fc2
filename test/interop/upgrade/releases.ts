// Where the recorded databases and answers of earlier releases are, and how they were made.
import { join } from 'node:path';

/** Holds for each release VERSION.sql, its database, and VERSION.json, its answers by path. */
export const RELEASES = join(import.meta.dirname, '../../fixtures/releases');

/** Lists with all fields of all records. */
export const RESOURCES = [
  '/v1/nodes/detail',
  '/v1/ports/detail',
  '/v1/portgroups/detail',
  '/v1/chassis/detail',
  '/v1/allocations',
  '/v1/volume/connectors?detail=true',
  '/v1/volume/targets?detail=true',
  '/v1/deploy_templates?detail=true',
  '/v1/runbooks?detail=true',
  '/v1/inspection_rules?detail=true',
  '/v1/images',
  ...['enrolled', 'managed', 'ready', 'deployed', 'rescued'].map(
    (node) => `/v1/nodes/${node}/history?detail=true`,
  ),
] as const;

export const ENVIRONMENT = {
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
  IRONIC_DEFAULT__HOST: 'a-host',
};

/** Returns the answer without its links, at any depth: they name the port of the daemon. */
export function withoutLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isLink(each)).map(withoutLinks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutLinks(each)]));
}

const isLink = (value: unknown): boolean => typeof value === 'object' && value !== null && 'href' in value;
