// The details of a request in the audit file, in addition to its method, path and status.
import type { AuditRecord } from '../lib/files/audit-file.ts';
import { parseUuid } from '../lib/uuid.ts';
import { isJsonObject } from '../model/json.ts';
import { findNode } from '../conductor/records/find/find-node.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

export type AuditDetails = Pick<AuditRecord, 'node' | 'node_name' | 'target' | 'fields' | 'created'>;

/** Not audited: ramdisks call these constantly and without authentication, which would push out operators' records. */
const RAMDISK_PATHS = /^\/v1\/(?:heartbeat|continue_inspection)(?:\/|$)/;
const MOST_FIELDS = 50;

/**
 * Returns undefined for reads and for requests of ramdisks. Call it before the handler, which may delete or rename the
 * node.
 */
export function auditDetails(
  { method, path }: Route,
  request: Pick<ApiRequest, 'services' | 'parameters' | 'minor' | 'given' | 'body'>,
): AuditDetails | undefined {
  if (method === 'GET' || RAMDISK_PATHS.test(path)) return undefined;
  const { body, given } = request;
  const target = isJsonObject(body) ? body['target'] : given['target'];
  const paths = Array.isArray(body) && method === 'PATCH' ? body.map(pathOf) : [];
  const fields = [...new Set(paths)].slice(0, MOST_FIELDS);
  return {
    ...nodeDetails(request),
    ...(typeof target === 'string' && { target: target.slice(0, 100) }),
    ...(fields.length > 0 && { fields }),
  };
}

/** Returns the UUID of the record that the request created; nothing if it created none. */
export function createdBy({ status, location }: Reply): AuditDetails {
  const name = location?.split('/').at(-1);
  return status === 201 && name !== undefined && parseUuid(name) === name ? { created: name } : {};
}

const pathOf = (operation: unknown): string =>
  isJsonObject(operation) && typeof operation['path'] === 'string' ? operation['path'].slice(0, 200) : '?';

function nodeDetails({
  services,
  parameters,
  minor,
  body,
}: Pick<ApiRequest, 'services' | 'parameters' | 'minor' | 'body'>): AuditDetails {
  const identifier = parameters['node'] ?? (isJsonObject(body) ? body['node_uuid'] : undefined);
  if (typeof identifier !== 'string') return {};
  try {
    const { uuid, name } = findNode(services, identifier, minor);
    return { node: uuid, ...(name !== null && { node_name: name }) };
  } catch {
    // the handler refuses an unknown node
    return {};
  }
}
