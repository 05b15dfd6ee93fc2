// Request bodies of nodes.
import { fault } from '../../model/faults.ts';
import { parseUuid } from '../../lib/uuid.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Node, type NodeChanges, nodeFields } from '../../model/records/node.ts';
import { type Bodies, createBodies } from '../../http/bodies/bodies.ts';
import type { PatchOperation } from '../../http/bodies/json-patch.ts';
import { checkNodeName } from '../../conductor/records/find/find-node.ts';

const bodies = createBodies<Node>({
  resource: 'node',
  fields: nodeFields,
  required: ['driver'],
  unremovable: ['driver'],
  normalise: checked,
});

export const nodeBodies: Bodies<Node> = {
  ...bodies,
  operations(body, minor) {
    const operations = bodies.operations(body, minor);
    if (minor < CHASSIS_UNSET_SINCE) refuseUnsetChassis(operations);
    for (const { op, path, value } of operations) {
      if (CLEARED_BY_REMOVE_ALONE.has(path) && op !== 'remove' && (value === null || value === '')) {
        throw fault('InvalidPatch', { reason: `${op} ${path}: clear it with the remove operation` });
      }
    }
    return operations;
  },
};

const CHASSIS_UNSET_SINCE = 25;

function refuseUnsetChassis(operations: readonly PatchOperation[]): void {
  const unsets = operations.some(
    ({ op, path, value }) => path === '/chassis_uuid' && (op === 'remove' || value === null),
  );
  if (unsets) throw fault('VersionTooOld', { since: CHASSIS_UNSET_SINCE });
}

const CLEARED_BY_REMOVE_ALONE: ReadonlySet<string> = new Set(['/name', '/parent_node']);

function checked(fields: Partial<Node>, minor: number): Partial<Node> {
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
  checkNetworkData(fields.network_data ?? {});
  return { ...fields, ...canonicalUuids(fields) };
}

function checkNetworkData(networkData: JsonObject): void {
  const missing = ['links', 'networks', 'services'].filter((part) => !Array.isArray(networkData[part]));
  if (Object.keys(networkData).length > 0 && missing.length > 0) {
    throw fault('InvalidParameter', {
      name: 'network_data',
      reason: `it must contain the lists ${missing.join(', ')}`,
    });
  }
}

const canonicalUuids = (fields: NodeChanges): NodeChanges =>
  Object.fromEntries(
    (['uuid', 'instance_uuid', 'chassis_uuid'] as const)
      .filter((name) => typeof fields[name] === 'string')
      .map((name) => [name, parseUuid(fields[name] ?? '')]),
  );
