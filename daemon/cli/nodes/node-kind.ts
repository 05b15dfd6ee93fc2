// Nodes as a kind of record.
import { nodeFields } from '../../model/records/node.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { nodeRequests } from './act/node-requests.ts';

export const nodeKind: RecordKind = {
  command: 'node',
  one: 'a node',
  path: '/v1/nodes',
  key: 'nodes',
  fields: nodeFields,
  columns: ['uuid', 'name', 'power_state', 'provision_state', 'maintenance'],
  requests: nodeRequests,
  vendorMethods: true,
};
