// What clients may write to a port: the body of POST and the operations of PATCH, checked and normalised.
import { Fault, fault } from '../model/faults.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { type Port, type PortChanges, type PortField, portFields } from '../model/port.ts';
import { parsePatch, patchedFields, type PatchOperation } from './json-patch.ts';
import { parseMacOrThrow, parseUuidOrThrow } from './parameters.ts';
import { validatorFor } from './schemas.ts';

const validateNew = validatorFor(portFields, 'create', ['address', 'node_uuid']);
const validateChanged = validatorFor(portFields, 'update', []);
const NODE_IDENT_SINCE = 94;
/** PATCH looks at the version of these fields only. */
const GATED_IN_PATCH: ReadonlySet<string> = new Set([
  'pxe_enabled',
  'local_link_connection',
  'portgroup_uuid',
  'physical_network',
  'is_smartnic',
]);

/** Fields of a new port; `findNode` resolves `node_ident`. */
export function newPortFields(
  body: unknown,
  minor: number,
  findNode: (identifier: string) => string,
): PortChanges & Pick<Port, 'address' | 'node_uuid'> {
  const given = validateNew('port', withNodeUuid(body ?? {}, minor, findNode));
  for (const [name, value] of Object.entries(given)) {
    const { since } = portFields[name as PortField];
    if (since > minor && value !== null) throw fault('VersionTooOld', { since });
  }
  const fields = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, value ?? portFields[name as PortField].initial]),
  );
  const port = checked(fields, minor) as PortChanges & Pick<Port, 'address' | 'node_uuid'>;
  refuseUnwiredSmartNic(port);
  return port;
}

function refuseUnwiredSmartNic({ is_smartnic, local_link_connection: connection = {} }: PortChanges): void {
  if (is_smartnic === true && !('port_id' in connection && 'hostname' in connection)) {
    throw refuse('a port with is_smartnic needs port_id and hostname');
  }
}

function withNodeUuid(body: unknown, minor: number, findNode: (identifier: string) => string): unknown {
  if (!isJsonObject(body) || !('node_ident' in body)) return body;
  if (minor < NODE_IDENT_SINCE) throw fault('VersionTooOld', { since: NODE_IDENT_SINCE });
  const { node_ident: identifier, ...rest } = body;
  if ('node_uuid' in rest)
    throw fault('Invalid', { reason: 'Give either node_uuid or node_ident, not both.' });
  if (typeof identifier !== 'string') throw fault('InvalidUuidOrName', { value: JSON.stringify(identifier) });
  return { ...rest, node_uuid: referencedNode(identifier, findNode) };
}

// What a body refers to and is not there is the body's fault, not a missing resource
function referencedNode(identifier: string, findNode: (identifier: string) => string): string {
  try {
    return findNode(identifier);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw fault('InvalidParameter', { name: 'node_ident', reason: error.message });
  }
}

export function parsePortPatch(body: unknown, minor: number): readonly PatchOperation[] {
  const gated = Object.fromEntries(
    Object.entries(portFields).map(([name, field]) => [
      name,
      GATED_IN_PATCH.has(name) ? field : { ...field, since: 1 },
    ]),
  );
  const operations = parsePatch(body, gated, minor);
  if (operations.some(({ op, path }) => op === 'remove' && path === '/address')) {
    throw fault('InvalidPatch', { reason: 'address is required and can not be removed' });
  }
  // removing the node has no effect: a port always belongs to one
  return operations.filter(({ op, path }) => op !== 'remove' || path !== '/node_uuid');
}

/** What the operations change of `port`, validated. Pure. */
export function portPatchChanges(
  port: Port,
  operations: readonly PatchOperation[],
  minor: number,
): PortChanges {
  const changes = checked(validateChanged('patch', patchedFields(port, operations, portFields)), minor);
  refuseUnwiredSmartNic({ ...port, ...changes });
  return changes;
}

function checked(fields: PortChanges, minor: number): PortChanges {
  return {
    ...fields,
    ...(fields.address !== undefined && { address: parseMacOrThrow(fields.address) }),
    ...(fields.uuid !== undefined && { uuid: parseUuidOrThrow(fields.uuid) }),
    ...(fields.node_uuid !== undefined && { node_uuid: parseUuidOrThrow(fields.node_uuid) }),
    ...(fields.local_link_connection !== undefined && {
      local_link_connection: checkedConnection(fields.local_link_connection, minor),
    }),
  };
}

const CONNECTION_KEYS = ['port_id', 'switch_id', 'hostname', 'switch_info', 'network_type'];
const NETWORK_TYPE_SINCE = 64;
const SWITCH_ID = /^([0-9a-f]{2}(:[0-9a-f]{2}){5}|[0-9a-f]{16})$/;

const refuse = (reason: string) => fault('InvalidParameter', { name: 'local_link_connection', reason });

function checkedConnection(connection: JsonObject, minor: number): JsonObject {
  for (const [key, value] of Object.entries(connection)) {
    if (!CONNECTION_KEYS.includes(key)) throw refuse(`${key} is not one of ${CONNECTION_KEYS.join(', ')}`);
    if (typeof value !== 'string') throw refuse(`${key} must be a string`);
  }
  if ('network_type' in connection && minor < NETWORK_TYPE_SINCE)
    throw fault('VersionTooOld', { since: NETWORK_TYPE_SINCE });
  if (!isComplete(connection)) {
    throw refuse('expected port_id with switch_id or hostname, or network_type "unmanaged", or nothing');
  }
  return { ...connection, ...switchIdOf(connection) };
}

function isComplete(connection: JsonObject): boolean {
  const has = (...keys: readonly string[]) => keys.every((key) => key in connection);
  const empty = Object.keys(connection).length === 0;
  return (
    empty ||
    connection['network_type'] === 'unmanaged' ||
    has('port_id', 'switch_id') ||
    has('port_id', 'hostname')
  );
}

function switchIdOf({ switch_id: given }: JsonObject): JsonObject {
  if (typeof given !== 'string') return {};
  const switchId = given.toLowerCase();
  if (!SWITCH_ID.test(switchId))
    throw refuse(`Expected a MAC address or OpenFlow datapath ID but received ${given}`);
  return { switch_id: switchId };
}
