// Finds the record that a request names, by UUID or by name, and says which names are valid. A node has a name since API 1.5.
import type { AuditRecord } from '../../lib/files/audit-file.ts';
import type { Table } from '../../db/tables/table.ts';
import { parseUuid } from '../../lib/uuid.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import type { RecordServices } from './services.ts';

interface Named {
  readonly uuid: string;
  readonly name: string | null;
}

export const LOGICAL_NAME_RULE = 'letters, digits and -._~ are allowed, at most 255 characters';

export const isLogicalName = (text: string): boolean =>
  text.length <= 255 && /^[A-Za-z0-9\-._~]+$/.test(text);

/** Returns undefined if there is no such record. Throws InvalidUuidOrName if `identifier` is neither a UUID nor a valid name. */
export function findByUuidOrName<R extends Named>(table: Table<R>, identifier: string): R | undefined {
  const uuid = parseUuid(identifier);
  if (uuid === undefined && !isLogicalName(identifier)) {
    throw fault('InvalidUuidOrName', { value: identifier });
  }
  return (uuid === undefined ? undefined : table.get(uuid)) ?? table.findBy('name', identifier);
}

const NAMES_SINCE = 5;
const FREE_NAMES_SINCE = 10;
const HOSTNAME_RULE =
  'before API version 1.10 it must be a host name: labels of lower-case letters, digits and hyphens, with dots between them';
/** Segments of the API's own paths. */
const RESERVED = ['maintenance', 'management', 'states', 'vendor_passthru', 'detail', 'validate'];

/** Returns the node that a request names. Throws InvalidUuidOrName or NodeNotFound. */
export function findNode(services: RecordServices, identifier: string, minor: number): Node {
  const uuid = parseUuid(identifier);
  if (uuid === undefined && !isName(identifier, minor))
    throw fault('InvalidUuidOrName', { value: identifier });
  const node =
    uuid !== undefined
      ? services.db.nodes.get(uuid)
      : minor >= NAMES_SINCE
        ? services.db.nodes.findBy('name', identifier)
        : undefined;
  if (node === undefined) throw fault('NodeNotFound', { node: identifier });
  return node;
}

interface Naming {
  readonly named: (parameter: string, find: typeof findNode) => Node;
}

/** Returns the node in the path of a request. Throws InvalidUuidOrName or NodeNotFound. */
export const nodeOf = (request: Naming): Node => request.named('node', findNode);

interface Audited extends Naming {
  readonly services: RecordServices;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly minor: number;
}

/**
 * Returns the node that a request is about, for the audit file, as the handler found it, before it was renamed or deleted; an empty
 * object if none is named or found.
 */
export function auditedNode(request: Audited): Pick<AuditRecord, 'node' | 'node_name'> {
  try {
    const node = auditedIn(request);
    if (node === undefined) return {};
    return { node: node.uuid, ...(node.name !== null && { node_name: node.name }) };
  } catch {
    // the handler refuses an unknown node
    return {};
  }
}

function auditedIn(request: Audited): Node | undefined {
  const { services, parameters, body, minor } = request;
  if (parameters['node'] !== undefined) return nodeOf(request);
  if (!isJsonObject(body)) return undefined;
  const named = body['node_uuid'] ?? body['node_ident'] ?? body['node'];
  return typeof named === 'string' ? findNode(services, named, minor) : undefined;
}

/** Like `findNode`, for a node named in the query. Throws VersionTooOld for a name before API 1.5. */
export function findNodeByParameter(services: RecordServices, identifier: string, minor: number): Node {
  if (minor < NAMES_SINCE && parseUuid(identifier) === undefined)
    throw fault('VersionTooOld', { since: NAMES_SINCE });
  return findNode(services, identifier, minor);
}

const isName = (text: string, minor: number): boolean =>
  minor < FREE_NAMES_SINCE ? isHostname(text) : isLogicalName(text);

function isHostname(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.');
  return labels.every(
    (label, index) =>
      label.length <= 63 &&
      (index === 0 ? /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ : /^[a-z0-9_-]*[a-z0-9]$/).test(label),
  );
}

/** Throws InvalidName unless `name` is a valid node name in this version. */
export function checkNodeName(name: string, minor: number): void {
  const refuse = (reason: string) => fault('InvalidName', { name, resource: 'node', reason });
  if (!isName(name, minor)) throw refuse(minor < FREE_NAMES_SINCE ? HOSTNAME_RULE : LOGICAL_NAME_RULE);
  if (parseUuid(name) !== undefined) throw refuse('it looks like a UUID');
  if (RESERVED.includes(name.toLowerCase())) throw refuse(`${RESERVED.join(', ')} are reserved`);
}
