// The node that a request is about, for the audit file.
import { findNode, nodeOf } from '../conductor/records/find-record.ts';
import type { ApiRequest } from '../http/route.ts';
import type { AuditRecord } from '../lib/files/audit-file.ts';
import { isJsonObject } from '../model/json.ts';
import type { Node } from '../model/records/node.ts';

/** Returns the node as the handler found it, before it was renamed or deleted; an empty object if none is named or found. */
export function auditedNode(request: ApiRequest): Pick<AuditRecord, 'node' | 'node_name'> {
  try {
    const node = namedNode(request);
    if (node === undefined) return {};
    return { node: node.uuid, ...(node.name !== null && { node_name: node.name }) };
  } catch {
    // the handler refuses an unknown node
    return {};
  }
}

function namedNode(request: ApiRequest): Node | undefined {
  const { services, parameters, body, minor } = request;
  if (parameters['node'] !== undefined) return nodeOf(request);
  if (!isJsonObject(body)) return undefined;
  const named = body['node_uuid'] ?? body['node_ident'] ?? body['node'];
  return typeof named === 'string' ? findNode(services, named, minor) : undefined;
}
