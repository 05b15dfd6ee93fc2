// The details of a request in the audit file, in addition to its method, path and status.
import type { AuditRecord } from '../lib/files/audit-file.ts';
import { parseUuid } from '../lib/uuid.ts';
import { isJsonObject } from '../model/json.ts';
import type { ApiRequest, Reply, Route } from './route.ts';

type AuditDetails = Pick<AuditRecord, 'target' | 'fields' | 'created'>;

const MOST_FIELDS = 50;

/** `reply`: undefined if the request was refused or has failed. */
export function auditDetails(
  { method }: Route,
  { body, given }: Pick<ApiRequest, 'given' | 'body'>,
  reply: Reply | undefined,
): AuditDetails {
  const target = isJsonObject(body) ? body['target'] : given['target'];
  const paths = Array.isArray(body) && method === 'PATCH' ? body.map(pathOf) : [];
  const fields = [...new Set(paths)].slice(0, MOST_FIELDS);
  return {
    ...(typeof target === 'string' && { target: target.slice(0, 100) }),
    ...(fields.length > 0 && { fields }),
    ...(reply !== undefined && createdBy(reply)),
  };
}

/** Returns the UUID of the record that the request created; nothing if it created none. */
function createdBy({ status, location }: Reply): AuditDetails {
  const name = location?.split('/').at(-1);
  return status === 201 && name !== undefined && parseUuid(name) === name ? { created: name } : {};
}

const pathOf = (operation: unknown): string =>
  isJsonObject(operation) && typeof operation['path'] === 'string' ? operation['path'].slice(0, 200) : '?';
