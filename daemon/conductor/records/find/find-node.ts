// Finds the node that a request names, by UUID or, since API 1.5, by name.
import type { Services } from '../../services.ts';
import { parseUuid } from '../../../lib/uuid.ts';
import { fault } from '../../../model/faults.ts';
import type { Node } from '../../../model/records/node.ts';
import { isLogicalName, LOGICAL_NAME_RULE } from './uuid-or-name.ts';

const NAMES_SINCE = 5;
const FREE_NAMES_SINCE = 10;
const HOSTNAME_RULE =
  'before API version 1.10 it must be a host name: labels of lower-case letters, digits and hyphens, with dots between them';
/** Segments of the API's own paths. */
const RESERVED = ['maintenance', 'management', 'states', 'vendor_passthru', 'detail', 'validate'];

/** Returns the node that a request names. Throws InvalidUuidOrName or NodeNotFound. */
export function findNode(services: Services, identifier: string, minor: number): Node {
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

/** Like `findNode`, for a node named in the query. Throws VersionTooOld for a name before API 1.5. */
export function findNodeByParameter(services: Services, identifier: string, minor: number): Node {
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
