// The nodes table.
import { type Node, type NodeChanges, nodeFields } from '../../model/node.ts';
import type { ProvisionState } from '../../model/provision-states.ts';
import { columnsOf, type SqlValue } from '../columns.ts';
import type { Connection } from '../open.ts';
import { type Condition, pageTail, type Paging } from './paging.ts';
import { statementsFor } from './statements.ts';

export const nodeColumns = columnsOf<Node>(nodeFields);
export type NodeColumn = keyof Node;

/** Filters of a node list; all given ones must hold. */
export interface NodeFilters {
  /** Columns that must equal a value; null means unset. */
  readonly equal?: Partial<Readonly<Record<NodeColumn, SqlValue | boolean>>>;
  readonly associated?: boolean;
  readonly descriptionContains?: string;
  /** Owner or lessee. */
  readonly project?: string;
  readonly shards?: readonly string[];
  readonly sharded?: boolean;
  /** false: only nodes without a parent. */
  readonly includeChildren?: boolean;
}

export type NodesTable = ReturnType<typeof createNodesTable>;

export function createNodesTable(connection: Connection) {
  const statements = statementsFor<Node>(connection, 'nodes', nodeColumns);
  const all = nodeColumns.names;
  const byUuid = connection.prepare(`SELECT ${all.join(', ')} FROM nodes WHERE uuid = ?`);
  const byName = connection.prepare(`SELECT ${all.join(', ')} FROM nodes WHERE name = ?`);
  const byBmcAddress = connection.prepare(
    `SELECT DISTINCT nodes.uuid FROM nodes, json_each(nodes.driver_internal_info, '$.lookup_bmc_addresses') AS known
     WHERE nodes.provision_state IN (SELECT value FROM json_each(?)) AND known.value IN (SELECT value FROM json_each(?))`,
  );
  const byShard = connection.prepare(
    'SELECT shard AS name, count(*) AS count FROM nodes GROUP BY shard ORDER BY shard NULLS LAST',
  );
  const decode = (row: unknown) =>
    row === undefined ? undefined : nodeColumns.decode(row as Record<string, SqlValue>);
  return {
    insert: (node: Node) => statements.insert(node),
    get: (uuid: string): Node | undefined => decode(byUuid.get(uuid)),
    getByName: (name: string): Node | undefined => decode(byName.get(name)),
    /** False when there is no such node. */
    update: (uuid: string, changes: NodeChanges): boolean =>
      statements.update(changes, 'uuid = ?', uuid) === 1,
    /** Changes the node only while it is in state `from`; false when it was not. */
    move: (uuid: string, from: ProvisionState, changes: NodeChanges): boolean =>
      statements.update(changes, 'uuid = ? AND provision_state = ?', uuid, from) === 1,
    remove: (uuid: string): boolean => statements.run('DELETE FROM nodes WHERE uuid = ?', uuid) === 1,
    list(names: readonly NodeColumn[], filters: NodeFilters, paging: Paging): Node[] {
      const { sql, values } = pageTail('nodes', conditionsOf(filters), paging);
      return statements.select(names, sql, ...values);
    },
    inStates: (states: readonly ProvisionState[]): Node[] =>
      statements.select(
        all,
        'WHERE provision_state IN (SELECT value FROM json_each(?))',
        JSON.stringify(states),
      ),
    /** How many nodes each shard has; a null name stands for none. */
    countByShard: () => byShard.all() as readonly { readonly name: string | null; readonly count: number }[],
    countInChassis: (chassis: string): number =>
      statements.select(['uuid'], 'WHERE chassis_uuid = ?', chassis).length,
    childrenOf: (parent: string): string[] =>
      statements.select(['uuid'], 'WHERE parent_node = ? ORDER BY id', parent).map((node) => node.uuid),
    /** UUIDs of the nodes whose console is enabled. */
    withConsole: (): string[] =>
      statements.select(['uuid'], 'WHERE console_enabled = 1').map(({ uuid }) => uuid),
    withTargetPowerState: (): Node[] => statements.select(all, 'WHERE target_power_state IS NOT NULL'),
    /** UUIDs of nodes in one of the states whose BMC has one of the addresses. */
    withBmcAddress: (states: readonly ProvisionState[], addresses: readonly string[]): string[] =>
      byBmcAddress
        .all(JSON.stringify(states), JSON.stringify(addresses))
        .map((row) => (row as { uuid: string }).uuid),
    /** uuid and what decides about power synchronisation, of every node that may need it. */
    forPowerSync: (excluded: readonly ProvisionState[]): string[] =>
      statements
        .select(
          ['uuid'],
          `WHERE maintenance = 0 AND target_power_state IS NULL
           AND provision_state NOT IN (SELECT value FROM json_each(?)) ORDER BY id`,
          JSON.stringify(excluded),
        )
        .map((node) => node.uuid),
    withFault: (fault: string): string[] =>
      statements
        .select(['uuid'], 'WHERE maintenance = 1 AND fault = ? ORDER BY id', fault)
        .map((node) => node.uuid),
  };
}

const nullness = (column: string, isSet: boolean): Condition => ({
  sql: `${column} IS ${isSet ? 'NOT ' : ''}NULL`,
  values: [],
});

function conditionsOf(filters: NodeFilters): Condition[] {
  const conditions: Condition[] = Object.entries(filters.equal ?? {}).map(([name, value]) => ({
    sql: `${name} IS ?`,
    values: [typeof value === 'boolean' ? Number(value) : value],
  }));
  const { associated, descriptionContains, project, shards, sharded } = filters;
  if (associated !== undefined) conditions.push(nullness('instance_uuid', associated));
  if (sharded !== undefined) conditions.push(nullness('shard', sharded));
  if (filters.includeChildren === false) conditions.push(nullness('parent_node', false));
  if (descriptionContains !== undefined) {
    conditions.push({ sql: 'instr(lower(description), lower(?)) > 0', values: [descriptionContains] });
  }
  if (project !== undefined)
    conditions.push({ sql: 'owner IS ? OR lessee IS ?', values: [project, project] });
  if (shards !== undefined) {
    conditions.push({ sql: 'shard IN (SELECT value FROM json_each(?))', values: [JSON.stringify(shards)] });
  }
  return conditions;
}
