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
  const newestError = connection
    .prepare(
      `SELECT event_type FROM node_history WHERE node_uuid = ? AND severity = 'ERROR' ORDER BY id DESC LIMIT 1`,
    )
    .pluck();
  return {
    ...createTable<NodeHistory>(connection, 'node_history', historyFields),
    /** Returns the event type of the node's newest error; undefined if it has none. */
    newestErrorType: (node: string) => newestError.get(node) as string | undefined,
    /** Deletes all but the newest `keep` rows of each node and returns the number of deleted rows. */
    trim: (keep: number): number => old.run(keep).changes,
  };
}
