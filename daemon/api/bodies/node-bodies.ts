// Request bodies of nodes.
import { canonicalNodeFields, mandatoryNodeFields } from '../../conductor/records/node-field-rules.ts';
import { type Bodies, createBodies } from '../../http/bodies/bodies.ts';
import type { PatchOperation } from '../../http/bodies/json-patch.ts';
import { fault } from '../../model/faults.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';

const bodies = createBodies<Node>({
  resource: 'node',
  fields: nodeFields,
  required: mandatoryNodeFields,
  unremovable: mandatoryNodeFields,
  normalise: canonicalNodeFields,
});

export const nodeBodies: Bodies<Node> = {
  ...bodies,
  operations(body, minor) {
    const operations = bodies.operations(body, minor);
    if (minor < CHASSIS_UNSET_SINCE) refuseUnsetChassis(operations);
    for (const { op, path, value } of operations) {
      if (CLEARED_BY_REMOVE_ALONE.has(path) && op !== 'remove' && (value === null || value === '')) {
        throw fault('InvalidPatch', { reason: `${op} ${path}: clear this field with the remove operation` });
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
