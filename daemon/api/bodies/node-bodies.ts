// Request bodies of nodes.
import { canonicalNodeFields, mandatoryNodeFields } from '../../conductor/records/node-field-rules.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';

export const nodeBodies = createBodies<Node>({
  resource: 'node',
  fields: nodeFields,
  required: mandatoryNodeFields,
  unremovable: mandatoryNodeFields,
  clearedByRemove: ['name', 'parent_node'],
  unsetSince: { chassis_uuid: 25 },
  normalise: canonicalNodeFields,
});
