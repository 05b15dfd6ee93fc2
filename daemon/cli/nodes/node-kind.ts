// Nodes as a kind of record.
import { isJsonObject } from '../../model/json.ts';
import { nodeFields } from '../../model/records/node.ts';
import type { RecordKind } from '../records/record-kinds.ts';
import { nodeRequests } from './act/node-requests.ts';

export const nodeKind: RecordKind = {
  command: 'node',
  one: 'a node',
  path: '/v1/nodes',
  key: 'nodes',
  fields: nodeFields,
  columns: ['uuid', 'name', 'power_state', 'provision_state', 'maintenance', 'wait'],
  cells: { wait: (wait) => (isJsonObject(wait) ? wait['reason'] : wait) },
  requests: nodeRequests,
  vendorMethods: true,
};
