// The node_history table: what happened to a node, newest rows kept.
import { historyFields, type NodeHistory } from '../../model/node-history.ts';
import { columnsOf } from '../columns.ts';
import type { Connection } from '../open.ts';
import { pageTail, type Paging } from './paging.ts';
import { statementsFor } from './statements.ts';

export const nodeHistoryColumns = columnsOf<NodeHistory>(historyFields);

export type NodeHistoryTable = ReturnType<typeof createNodeHistoryTable>;

export function createNodeHistoryTable(connection: Connection) {
  const statements = statementsFor<NodeHistory>(connection, 'node_history', nodeHistoryColumns);
  const all = nodeHistoryColumns.names;
  return {
    insert: (record: NodeHistory) => statements.insert(record),
    get: (nodeUuid: string, uuid: string): NodeHistory | undefined =>
      statements.select(all, 'WHERE node_uuid = ? AND uuid = ?', nodeUuid, uuid)[0],
    list(nodeUuid: string, paging: Paging): NodeHistory[] {
      const { sql, values } = pageTail(
        'node_history',
        [{ sql: 'node_uuid = ?', values: [nodeUuid] }],
        paging,
      );
      return statements.select(all, sql, ...values);
    },
    /** Deletes all but the newest `keep` rows of every node; how many went. */
    trim: (keep: number): number =>
      statements.run(
        `DELETE FROM node_history WHERE id IN (
           SELECT id FROM (
             SELECT id, row_number() OVER (PARTITION BY node_uuid ORDER BY id DESC) AS age FROM node_history
           ) WHERE age > ?)`,
        keep,
      ),
  };
}
