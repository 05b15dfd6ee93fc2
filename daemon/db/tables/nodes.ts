// The nodes table.
import { infoPath, type InternalInfoKey } from '../../model/internal-info.ts';
import { type InterfaceField, interfaceFields } from '../../model/machine/interface-types.ts';
import { type Node, type NodeChanges, nodeFields } from '../../model/records/node.ts';
import type { ProvisionEvent } from '../../model/states/provision-events.ts';
import type { ProvisionState } from '../../model/states/provision-states.ts';
import type { Connection } from '../open.ts';
import type { Condition } from './paging.ts';
import { columnsOf, type SqlValue, statementsFor } from './rows.ts';
import {
  createTable,
  descriptionCondition,
  equalConditions,
  type EqualFilters,
  memberCondition,
} from './table.ts';

/** Filters of a node list; a node must match all that are given. */
export interface NodeFilters {
  readonly equal?: EqualFilters<Node>;
  readonly associated?: boolean | undefined;
  readonly descriptionContains?: string | undefined;
  /** The owner or lessee. */
  readonly project?: string | undefined;
  readonly shards?: readonly string[] | undefined;
  readonly sharded?: boolean | undefined;
  /** false: only nodes without a parent. */
  readonly includeChildren?: boolean;
}

/** An interface, and the drivers of the nodes that may use it. `name` is null for the interface of a classic driver. */
export interface InterfaceUse {
  readonly field: InterfaceField;
  readonly name: string | null;
  readonly drivers: readonly string[];
}

/** Further conditions; a node must match all that are given. */
interface NodeSelection {
  readonly states?: readonly ProvisionState[];
  /** Not set: false. */
  readonly maintenance?: boolean | 'any';
  /** A key that the node's `driver_internal_info` must have. */
  readonly internalInfo?: string;
}

/** A change of the provision state, and what caused it. */
interface Move {
  readonly from: ProvisionState;
  readonly event: ProvisionEvent;
}

export interface StateCount {
  readonly provision_state: ProvisionState;
  readonly maintenance: 0 | 1;
  readonly count: number;
}

/** Nodes with the same driver and interfaces. */
export interface DriverUse extends Pick<Node, 'driver' | InterfaceField> {
  /** The names of these nodes, as a JSON list; a node without a name is listed by its UUID. */
  readonly nodes: string;
}

/** What the instance of a node was deployed with. */
export interface DeployedNode {
  /** The name of the node, or its UUID if it has none. */
  readonly node: string;
  readonly image: string;
  readonly sha256: string | null;
}

const DRIVER = ['driver', ...interfaceFields].join(', ');

export type NodesTable = ReturnType<typeof createNodesTable>;

export function createNodesTable(connection: Connection) {
  const table = createTable<Node>(connection, 'nodes', nodeFields);
  const statements = statementsFor<Node>(connection, 'nodes', columnsOf(nodeFields));
  const uuids = (where: string, ...values: readonly SqlValue[]): string[] =>
    statements.select(['uuid'], `WHERE ${where} ORDER BY id`, ...values).map(({ uuid }) => uuid);
  const byShard = connection.prepare(
    'SELECT shard AS name, count(*) AS count FROM nodes GROUP BY shard ORDER BY count DESC, shard NULLS LAST',
  );
  const byState = connection.prepare(
    'SELECT provision_state, maintenance, count(*) AS count FROM nodes GROUP BY provision_state, maintenance',
  );
  const byDriver = connection.prepare(
    `SELECT ${DRIVER}, json_group_array(coalesce(name, uuid)) AS nodes FROM nodes GROUP BY ${DRIVER}`,
  );
  const countStates = connection
    .prepare('SELECT count(*) FROM nodes WHERE provision_state IN (SELECT value FROM json_each(?))')
    .pluck();
  const countDiscovered = connection
    .prepare('SELECT count(*) FROM nodes WHERE auto_discovered = 1 AND provision_state = ?')
    .pluck();
  return {
    ...table,
    ...deployments(connection),
    /** Changes the node only if it is in the state `from`; returns whether it was. */
    move: (uuid: string, { from }: Move, changes: NodeChanges): boolean =>
      statements.update(changes, 'uuid = ? AND provision_state = ?', uuid, from) === 1,
    inStates: (states: readonly ProvisionState[]): Node[] =>
      table.where(memberCondition('provision_state', states)),
    countInStates: (states: readonly ProvisionState[]): number =>
      Number(countStates.get(JSON.stringify(states))),
    countDiscovered: (state: ProvisionState): number => Number(countDiscovered.get(state)),
    /** Returns the UUIDs of the nodes that the machine's failed discoveries created. `machine`: a hash of its MAC addresses. */
    withFailedDiscovery: (machine: string) =>
      uuids('json_extract(driver_internal_info, ?) = ?', infoPath('failed_discovery'), machine),
    /** Returns the nodes that have this text as `image_source`, or whose instances were deployed with this image. */
    withImage: (name: string): Pick<Node, 'uuid' | 'name'>[] =>
      statements.select(
        ['uuid', 'name'],
        `WHERE json_extract(instance_info, '$.image_source') = ? OR json_extract(driver_internal_info, '${infoPath('deployed_image')}.image') = ? ORDER BY id`,
        name,
        name,
      ),
    withTargetPowerState: (): Node[] => table.where(nullness('target_power_state', true)),
    /** Returns the number of nodes in each shard; the name is null for nodes without a shard. */
    countByShard: () => byShard.all() as readonly { readonly name: string | null; readonly count: number }[],
    countByState: () => byState.all() as readonly StateCount[],
    driversInUse: () => byDriver.all() as readonly DriverUse[],
    // the methods below that find nodes return only their UUIDs
    inChassis: (chassis: string) => uuids('chassis_uuid = ?', chassis),
    childrenOf: (parent: string) => uuids('parent_node = ?', parent),
    /** Clears parent_node of the children of the node. */
    orphan: (parent: string) => statements.update({ parent_node: null }, 'parent_node = ?', parent),
    withConsole: () => uuids('console_enabled = 1'),
    withFault: (fault: string) => uuids('maintenance = 1 AND fault = ?', fault),
    ...bmcSearches(uuids),
    /** Returns the selected nodes that have one of the drivers and use the interface. */
    usingInterface: (use: InterfaceUse, selection: NodeSelection = {}) => uuids(...usersOf(use, selection)),
    /** Returns nodes whose power state may need synchronization. */
    forPowerSync: (excluded: readonly ProvisionState[]) =>
      uuids(
        `maintenance = 0 AND target_power_state IS NULL
         AND provision_state NOT IN (SELECT value FROM json_each(?))`,
        JSON.stringify(excluded),
      ),
    withInfo: (key: InternalInfoKey) => uuids(HAS_INFO, infoPath(key)),
    /** `state`: the provision state of the nodes. Not set: any state. */
    outsideMaintenance: (state?: ProvisionState) => uuids(OUTSIDE_MAINTENANCE, state ?? null),
  };
}

type FindUuids = (where: string, ...values: readonly SqlValue[]) => string[];

function deployments(connection: Connection) {
  const all = connection.prepare(
    `SELECT coalesce(name, uuid) AS node, json_extract(deployed, '$.image') AS image, json_extract(deployed, '$.sha256') AS sha256
     FROM (SELECT id, name, uuid, driver_internal_info -> '${infoPath('deployed_image')}' AS deployed FROM nodes)
     WHERE deployed IS NOT NULL ORDER BY id`,
  );
  const sources = connection.prepare(
    `SELECT uuid AS node, instance_info ->> '$.image_source' AS image FROM nodes WHERE image IS NOT NULL`,
  );
  return {
    /** Returns what the instances of nodes were deployed with. */
    deployedImages: () => all.all() as readonly DeployedNode[],
    /** Returns the `image_source` of nodes by their UUIDs: the name of an image or its URL. */
    imageSources: (): ReadonlyMap<string, string> =>
      new Map(
        (sources.all() as readonly Pick<DeployedNode, 'node' | 'image'>[]).map(({ node, image }) => [
          node,
          image,
        ]),
      ),
  };
}

const bmcSearches = (uuids: FindUuids) => ({
  /** Returns the nodes that are in one of the states and whose BMC has one of the addresses. */
  withBmcAddress: (states: readonly ProvisionState[], addresses: readonly string[]) =>
    uuids(
      `provision_state IN (SELECT value FROM json_each(?)) AND EXISTS (
         SELECT 1 FROM json_each(driver_internal_info, ?) AS known
         WHERE known.value IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(states),
      infoPath('lookup_bmc_addresses'),
      JSON.stringify(addresses),
    ),
  /** Returns the nodes whose driver_info contains one of the texts, which are in lower case, at any place. */
  withDriverInfoText: (texts: readonly string[]) =>
    uuids(
      'EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE instr(lower(driver_info), wanted.value) > 0)',
      JSON.stringify(texts),
    ),
});

const OUTSIDE_MAINTENANCE = 'maintenance = 0 AND coalesce(?, provision_state) = provision_state';
const HAS_INFO = 'json_extract(driver_internal_info, ?) IS NOT NULL';

function usersOf(
  { field, name, drivers }: InterfaceUse,
  { states, maintenance = false, internalInfo }: NodeSelection,
): [where: string, ...values: SqlValue[]] {
  return [
    `driver IN (SELECT value FROM json_each(?))
     AND coalesce(json_extract(instance_info, '$.${field}'), ${field}) IS ?
     AND maintenance IN (?, ?)
     AND (? OR provision_state IN (SELECT value FROM json_each(?)))
     AND (? OR EXISTS (SELECT 1 FROM json_each(driver_internal_info) WHERE key = ?))`,
    JSON.stringify(drivers),
    name,
    Number(maintenance !== false),
    Number(maintenance === true),
    Number(states === undefined),
    JSON.stringify(states ?? []),
    Number(internalInfo === undefined),
    internalInfo ?? '',
  ];
}

const nullness = (column: string, isSet: boolean): Condition => ({
  sql: `${column} IS ${isSet ? 'NOT ' : ''}NULL`,
  values: [],
  ...(!isSet && { broad: column }),
});

/** Nodes with an error or in maintenance. Nodes in quarantine are in maintenance too. */
export const troubledNodes: Condition = { sql: 'maintenance = 1 OR last_error IS NOT NULL', values: [] };

export function nodeConditions(filters: NodeFilters): Condition[] {
  const { associated, descriptionContains, project, shards, sharded, includeChildren } = filters;
  return [
    ...equalConditions(filters.equal ?? {}),
    ...whenGiven(associated, (isSet) => nullness('instance_uuid', isSet)),
    ...whenGiven(sharded, (isSet) => nullness('shard', isSet)),
    // the plus keeps SQLite from using the index, which does not help because nearly all nodes have no parent
    ...(includeChildren === false ? [{ sql: '+parent_node IS NULL', values: [] }] : []),
    ...whenGiven(descriptionContains, descriptionCondition),
    ...whenGiven(project, (value) => ({ sql: 'owner IS ? OR lessee IS ?', values: [value, value] })),
    ...whenGiven(shards, (names) => memberCondition('shard', names)),
  ];
}

const whenGiven = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)];
