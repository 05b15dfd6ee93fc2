// Request bodies of ports.
import { Fault, fault } from '../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { type Port, portFields } from '../../model/records/port.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseMacOrThrow, parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { objectSchema, versioned } from '../../http/schema-parts.ts';

export const portBodies = createBodies<Port>({
  resource: 'port',
  fields: portFields,
  required: ['address', 'node_uuid'],
  unremovable: ['address'],
  fixed: ['node_uuid'],
  gatedInPatch: ['pxe_enabled', 'local_link_connection', 'portgroup_uuid', 'physical_network', 'is_smartnic'],
  normalise: (given, minor) => ({
    ...given,
    ...(given.address !== undefined && { address: parseMacOrThrow(given.address) }),
    ...(given.uuid !== undefined && { uuid: parseUuidOrThrow(given.uuid) }),
    ...(given.node_uuid !== undefined && { node_uuid: parseUuidOrThrow(given.node_uuid) }),
    ...(typeof given.portgroup_uuid === 'string' && {
      portgroup_uuid: parseUuidOrThrow(given.portgroup_uuid),
    }),
    ...(given.local_link_connection !== undefined && {
      local_link_connection: checkedConnection(given.local_link_connection, minor),
    }),
  }),
  checkWhole: refuseUnwiredSmartNic,
});

function refuseUnwiredSmartNic({ is_smartnic, local_link_connection: connection = {} }: Partial<Port>): void {
  if (is_smartnic === true && !('port_id' in connection && 'hostname' in connection)) {
    throw refuse('a port with is_smartnic needs port_id and hostname');
  }
}

const NODE_IDENT_SINCE = 94;

/** The body of POST: the fields, and `node_ident`, which takes a UUID or a name in place of `node_uuid`. */
export const portPostSchema = objectSchema(
  { ...portBodies.postSchema.properties, node_ident: versioned(NODE_IDENT_SINCE, { type: 'string' }) },
  ['address'],
);

/**
 * Returns a POST body with `node_ident` replaced by `node_uuid`, the UUID that `findNode` returns for it. Returns a body without
 * `node_ident` unchanged. Throws VersionTooOld, Invalid, InvalidUuidOrName or InvalidParameter.
 */
export function withNodeUuid(
  body: unknown,
  minor: number,
  findNode: (identifier: string) => string,
): unknown {
  if (!isJsonObject(body) || !('node_ident' in body)) return body;
  if (minor < NODE_IDENT_SINCE) throw fault('VersionTooOld', { since: NODE_IDENT_SINCE });
  const { node_ident: identifier, ...rest } = body;
  if ('node_uuid' in rest)
    throw fault('Invalid', { reason: 'Give either node_uuid or node_ident, not both.' });
  if (typeof identifier !== 'string') throw fault('InvalidUuidOrName', { value: JSON.stringify(identifier) });
  return { ...rest, node_uuid: findReferencedNode(identifier, findNode) };
}

// A body that names an unknown node is an invalid body, not a missing resource
function findReferencedNode(identifier: string, findNode: (identifier: string) => string): string {
  try {
    return findNode(identifier);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw fault('InvalidParameter', { name: 'node_ident', reason: error.message });
  }
}

const SWITCH_ID = /^([0-9a-f]{2}(:[0-9a-f]{2}){5}|[0-9a-f]{16})$/;
const VTEP_KEYS = ['vtep-logical-switch', 'vtep-physical-switch'];
const NETWORK_TYPE_SINCE = 64;
const VTEP_VERSIONS = { since: 90, until: 104 };

const knowsVtep = (minor: number): boolean => minor >= VTEP_VERSIONS.since && minor <= VTEP_VERSIONS.until;
const hasVtep = (connection: JsonObject): boolean => VTEP_KEYS.some((key) => key in connection);

/** Returns the connection as the API version shows it: empty if it has VTEP keys and the version does not know them. */
export const shownConnection = (connection: JsonObject, minor: number): JsonObject =>
  hasVtep(connection) && !knowsVtep(minor) ? {} : connection;

const refuse = (reason: string) => fault('InvalidParameter', { name: 'local_link_connection', reason });

function checkedConnection(connection: JsonObject, minor: number): JsonObject {
  if ('network_type' in connection && minor < NETWORK_TYPE_SINCE)
    throw fault('VersionTooOld', { since: NETWORK_TYPE_SINCE });
  if (hasVtep(connection) && !knowsVtep(minor))
    throw fault('VersionOutsideOf', { what: VTEP_KEYS.join(' and '), ...VTEP_VERSIONS });
  if (!isComplete(connection)) {
    throw refuse(
      `expected port_id with switch_id, with hostname or with both ${VTEP_KEYS.join(' and ')}; or network_type "unmanaged"; or an empty object`,
    );
  }
  return { ...connection, ...switchIdOf(connection) };
}

function isComplete(connection: JsonObject): boolean {
  const has = (...keys: readonly string[]) => keys.every((key) => key in connection);
  if (hasVtep(connection) && !has(...VTEP_KEYS)) return false;
  const located = has('switch_id') || has('hostname') || has(...VTEP_KEYS);
  const empty = Object.keys(connection).length === 0;
  return empty || connection['network_type'] === 'unmanaged' || (has('port_id') && located);
}

function switchIdOf({ switch_id: given }: JsonObject): JsonObject {
  if (typeof given !== 'string') return {};
  const switchId = given.toLowerCase();
  if (!SWITCH_ID.test(switchId))
    throw refuse(`Expected a MAC address or OpenFlow datapath ID but received ${given}`);
  return { switch_id: switchId };
}
