// Tables of what was read from a node's machine (BIOS settings, firmware). All rows of a node are replaced together.
import type { FieldTable } from '../../model/records/fields.ts';
import type { Connection } from '../open.ts';
import { columnsOf, statementsFor } from './rows.ts';

export interface NodePartsTable<R> {
  /** Returns the node's records, ordered by `key`. */
  ofNode(nodeUuid: string): R[];
  /** Replaces all records of the node. */
  replace(nodeUuid: string, records: readonly R[]): void;
}

/** `key`: the column that is unique among a node's rows. */
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
