// The ports table.
import { type Port, portFields } from '../../model/port.ts';
import type { SqlValue } from '../columns.ts';
import type { Connection } from '../open.ts';
import type { Condition } from './paging.ts';
import { createTable, equalConditions, type EqualFilters, memberCondition } from './table.ts';

export interface PortFilters {
  readonly equal?: EqualFilters<Port>;
  readonly descriptionContains?: string | undefined;
  /** Ports of nodes in one of these shards. */
  readonly shards?: readonly string[] | undefined;
}

export type PortsTable = ReturnType<typeof createPortsTable>;

export function createPortsTable(connection: Connection) {
  const table = createTable<Port>(connection, 'ports', portFields);
  return {
    ...table,
    ofNode: (nodeUuid: string) => table.where({ sql: 'node_uuid = ?', values: [nodeUuid] }),
    /** UUIDs of the nodes that own a port with one of the addresses. */
    nodesWithAddress: (addresses: readonly string[]): string[] => [
      ...new Set(table.where(memberCondition('address', addresses)).map((port) => port.node_uuid)),
    ],
  };
}

export function portConditions({ equal, descriptionContains, shards }: PortFilters): Condition[] {
  const contains = (text: SqlValue) => ({ sql: 'instr(lower(description), lower(?)) > 0', values: [text] });
  return [
    ...equalConditions(equal ?? {}),
    ...(descriptionContains === undefined ? [] : [contains(descriptionContains)]),
    ...(shards === undefined ? [] : [ofShards(shards)]),
  ];
}

function ofShards(shards: readonly string[]): Condition {
  const { sql, values } = memberCondition('shard', shards);
  return { sql: `node_uuid IN (SELECT uuid FROM nodes WHERE ${sql})`, values };
}
