// The node_history table: the events of each node.
import { historyFields, type NodeHistory } from '../../model/records/node-history.ts';
import type { Connection } from '../open.ts';
import { createTable } from './table.ts';

export type NodeHistoryTable = ReturnType<typeof createNodeHistoryTable>;

export function createNodeHistoryTable(connection: Connection) {
  const old = connection.prepare(
    `DELETE FROM node_history WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY node_uuid ORDER BY id DESC) AS age FROM node_history
       ) WHERE age > ?)`,
  );
  return {
    ...createTable<NodeHistory>(connection, 'node_history', historyFields),
    /** Deletes all but the newest `keep` rows of each node and returns the number of deleted rows. */
    trim: (keep: number): number => old.run(keep).changes,
  };
}
