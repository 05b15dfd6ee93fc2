// Tables of what was seen in a node's machine: rows that are the node's own and are replaced together.
import type { FieldTable } from '../../model/fields.ts';
import { columnsOf } from '../columns.ts';
import type { Connection } from '../open.ts';
import { statementsFor } from './statements.ts';

export interface NodePartsTable<R> {
  /** In the order of their names. */
  ofNode(nodeUuid: string): R[];
  /** Makes `records` the only ones of the node. */
  replace(nodeUuid: string, records: readonly R[]): void;
}

/** `key`: the column that tells a node's rows apart. */
export function createNodePartsTable<R extends { readonly node_uuid: string }>(
  connection: Connection,
  name: string,
  fields: FieldTable,
  key: keyof R & string,
): NodePartsTable<R> {
  const columns = columnsOf<R>(fields);
  const statements = statementsFor<R>(connection, name, columns);
  const replace = connection.transaction((nodeUuid: string, records: readonly R[]) => {
    statements.run(`DELETE FROM ${name} WHERE node_uuid = ?`, nodeUuid);
    for (const record of records) statements.insert(record);
  });
  return {
    ofNode: (nodeUuid) => statements.select(columns.names, `WHERE node_uuid = ? ORDER BY ${key}`, nodeUuid),
    replace: (nodeUuid, records) => replace.immediate(nodeUuid, records),
  };
}
