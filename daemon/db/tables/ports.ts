// The ports table.
import { type Port, type PortChanges, portFields } from '../../model/port.ts';
import { columnsOf, type SqlValue } from '../columns.ts';
import type { Connection } from '../open.ts';
import { type Condition, pageTail, type Paging } from './paging.ts';
import { statementsFor } from './statements.ts';

export const portColumns = columnsOf<Port>(portFields);
export type PortColumn = keyof Port;

export interface PortFilters {
  readonly equal?: Partial<Readonly<Record<PortColumn, SqlValue>>>;
  readonly descriptionContains?: string;
  /** Ports of nodes in one of these shards. */
  readonly shards?: readonly string[];
}

export type PortsTable = ReturnType<typeof createPortsTable>;

export function createPortsTable(connection: Connection) {
  const statements = statementsFor<Port>(connection, 'ports', portColumns);
  const all = portColumns.names;
  const one = (where: string, value: string): Port | undefined =>
    statements.select(all, `WHERE ${where} = ?`, value)[0];
  return {
    insert: (port: Port) => statements.insert(port),
    get: (uuid: string) => one('uuid', uuid),
    getByName: (name: string) => one('name', name),
    getByAddress: (address: string) => one('address', address),
    update: (uuid: string, changes: PortChanges): boolean =>
      statements.update(changes, 'uuid = ?', uuid) === 1,
    remove: (uuid: string): boolean => statements.run('DELETE FROM ports WHERE uuid = ?', uuid) === 1,
    ofNode: (nodeUuid: string): Port[] => statements.select(all, 'WHERE node_uuid = ? ORDER BY id', nodeUuid),
    /** UUIDs of the nodes that own a port with one of the addresses. */
    nodesWithAddress: (addresses: readonly string[]): string[] => [
      ...new Set(
        statements
          .select(
            ['node_uuid'],
            'WHERE address IN (SELECT value FROM json_each(?))',
            JSON.stringify(addresses),
          )
          .map((port) => port.node_uuid),
      ),
    ],
    list(names: readonly PortColumn[], filters: PortFilters, paging: Paging): Port[] {
      const { sql, values } = pageTail('ports', conditionsOf(filters), paging);
      return statements.select(names, sql, ...values);
    },
  };
}

function conditionsOf(filters: PortFilters): Condition[] {
  const conditions: Condition[] = Object.entries(filters.equal ?? {}).map(([name, value]) => ({
    sql: `${name} IS ?`,
    values: [value],
  }));
  if (filters.descriptionContains !== undefined) {
    conditions.push({
      sql: 'instr(lower(description), lower(?)) > 0',
      values: [filters.descriptionContains],
    });
  }
  if (filters.shards !== undefined) {
    conditions.push({
      sql: 'node_uuid IN (SELECT uuid FROM nodes WHERE shard IN (SELECT value FROM json_each(?)))',
      values: [JSON.stringify(filters.shards)],
    });
  }
  return conditions;
}
