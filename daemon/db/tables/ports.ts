// The ports table.
import { type Port, portFields } from '../../model/records/port.ts';
import type { Connection } from '../open.ts';
import type { Condition } from './paging.ts';
import {
  createTable,
  descriptionCondition,
  equalConditions,
  type EqualFilters,
  memberCondition,
  nodeCondition,
} from './table.ts';

export interface PortFilters {
  readonly equal?: EqualFilters<Port>;
  readonly descriptionContains?: string | undefined;
  /** Ports of nodes in one of these shards. */
  readonly shards?: readonly string[] | undefined;
  /** Ports of nodes in one of these groups. */
  readonly conductorGroups?: readonly string[] | undefined;
}

export type PortsTable = ReturnType<typeof createPortsTable>;

export function createPortsTable(connection: Connection) {
  const table = createTable<Port>(connection, 'ports', portFields);
  return {
    ...table,
    ofNode: (nodeUuid: string) => table.where({ sql: 'node_uuid = ?', values: [nodeUuid] }),
    inPortgroup: (portgroupUuid: string) =>
      table.where({ sql: 'portgroup_uuid = ?', values: [portgroupUuid] }),
    /** UUIDs of the nodes that own a port with one of the addresses. */
    nodesWithAddress: (addresses: readonly string[]): string[] => [
      ...new Set(table.where(memberCondition('address', addresses)).map((port) => port.node_uuid)),
    ],
  };
}

export function portConditions(filters: PortFilters): Condition[] {
  const { equal, descriptionContains, shards, conductorGroups } = filters;
  return [
    ...equalConditions(equal ?? {}),
    ...(descriptionContains === undefined ? [] : [descriptionCondition(descriptionContains)]),
    ...(shards === undefined ? [] : [nodeCondition('shard', shards)]),
    ...(conductorGroups === undefined ? [] : [nodeCondition('conductor_group', conductorGroups)]),
  ];
}
