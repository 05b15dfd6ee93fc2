// What the audit trail tells of a request beside its method, path and answer.
import type { AuditRecord } from '../lib/audit-file.ts';
import { parseUuid } from '../lib/uuid.ts';
import { isJsonObject } from '../model/json.ts';
import { findNode } from './node-identifiers.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

export type AuditDetails = Pick<AuditRecord, 'node' | 'node_name' | 'target' | 'fields' | 'created'>;

/** Ramdisks call these all the time, and anybody may: they would drive out what operators did. */
const RAMDISK_PATHS = /^\/v1\/(?:heartbeat|continue_inspection)(?:\/|$)/;
const MOST_FIELDS = 50;

/** Undefined for what changes nothing, or is a ramdisk's. The node is looked up now, as the request may delete or rename it. */
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

/** The name that a reply gives to a new record. */
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
    // the handler refuses it
    return {};
  }
}
