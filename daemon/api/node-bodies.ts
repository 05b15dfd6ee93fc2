// What clients may write to a node: the body of POST and the operations of PATCH, checked and normalised.
import { fault } from '../model/faults.ts';
import { parseUuid } from '../lib/uuid.ts';
import { type Node, type NodeChanges, type NodeField, nodeFields } from '../model/node.ts';
import { parsePatch, patchedFields, type PatchOperation } from './json-patch.ts';
import { checkNodeName } from './node-identifiers.ts';
import { validatorFor } from './schemas.ts';

const validateNew = validatorFor(nodeFields, 'create', ['driver']);
const validateChanged = validatorFor(nodeFields, 'update', []);

/** Fields of a new node. Throws InvalidSchema, VersionTooOld, InvalidName. */
export function newNodeFields(body: unknown, minor: number): NodeChanges & Pick<Node, 'driver'> {
  const given = validateNew('node', body ?? {});
  for (const [name, value] of Object.entries(given)) {
    const { since } = nodeFields[name as NodeField];
    if (since > minor && value !== null) throw fault('VersionTooOld', { since });
  }
  const fields = Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? nodeFields[name as NodeField].initial]),
  );
  return checked(fields, minor) as NodeChanges & Pick<Node, 'driver'>;
}

/** Operations of a PATCH body. Throws what makes them unacceptable for any node. */
export function parseNodePatch(body: unknown, minor: number): readonly PatchOperation[] {
  const operations = parsePatch(body, nodeFields, minor);
  if (minor < CHASSIS_UNSET_SINCE) refuseUnsetChassis(operations);
  for (const { op, path, value } of operations) {
    if (path === '/name' && op !== 'remove' && (value === null || value === '')) {
      throw fault('InvalidName', {
        name: String(value),
        resource: 'node',
        reason: 'clear a name with the remove operation',
      });
    }
    if (path === '/driver' && op === 'remove')
      throw fault('InvalidPatch', { reason: 'driver is required and can not be removed' });
  }
  return operations;
}

const CHASSIS_UNSET_SINCE = 25;

function refuseUnsetChassis(operations: readonly PatchOperation[]): void {
  const unsets = operations.some(
    ({ op, path, value }) => path === '/chassis_uuid' && (op === 'remove' || value === null),
  );
  if (unsets) throw fault('VersionTooOld', { since: CHASSIS_UNSET_SINCE });
}

/** What the operations change of `node`, validated. Pure. */
export function nodePatchChanges(
  node: Node,
  operations: readonly PatchOperation[],
  minor: number,
): NodeChanges {
  const changes = patchedFields(node, operations, nodeFields);
  return checked(validateChanged('patch', changes), minor);
}

function checked(fields: NodeChanges, minor: number): NodeChanges {
  if (typeof fields.name === 'string') checkNodeName(fields.name, minor);
  for (const size of ['local_gb', 'memory_mb'] as const) {
    const value = fields.properties?.[size];
    if (value !== undefined && value !== null && !/^\d+$/.test(JSON.stringify(value).replaceAll('"', ''))) {
      throw fault('InvalidParameter', {
        name: `properties/${size}`,
        reason: `${JSON.stringify(value)} is not a non-negative integer`,
      });
    }
  }
  return { ...fields, ...canonicalUuids(fields) };
}

const canonicalUuids = (fields: NodeChanges): NodeChanges =>
  Object.fromEntries(
    (['uuid', 'instance_uuid', 'chassis_uuid'] as const)
      .filter((name) => typeof fields[name] === 'string')
      .map((name) => [name, parseUuid(fields[name] ?? '')]),
  );
