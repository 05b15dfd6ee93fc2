// This daemon as the source of machines: its database has the secrets, and its API stops the daemon from acting on a node.
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { MAXIMUM_MINOR } from '../../../model/microversions.ts';
import { type ApiClient, pathOfNode } from '../../api-client.ts';
import type { MovedMachine, Maintenance } from '../engine/machine.ts';
import type { MoveSource } from '../engine/source.ts';
import { inGivenOrder } from './in-order.ts';

export interface OwnDatabase {
  readonly api: ApiClient;
  readonly path: string;
  /** The name of the service that gets the machines. */
  readonly to: string;
}

const readerOfTables = async () => (await import('../../../db/read-only.ts')).readTables;

export async function ownDatabase({ api, path, to }: OwnDatabase): Promise<MoveSource> {
  const readTables = await readerOfTables();
  return {
    name: 'ironic-edge',
    service: { api, minor: MAXIMUM_MINOR },
    list: async (named) =>
      inGivenOrder(
        readTables(path, ({ nodes }) => nodes.where({ sql: 'TRUE', values: [] })),
        named,
      ),
    read: async (uuid) => readTables(path, (tables) => machineIn(tables, uuid)),
    async setAside(uuid) {
      await api.request('POST', `${pathOfNode(uuid)}/quarantine`, { handed_to: to });
    },
    async takeBack(uuid) {
      const waiting = await api.list('/v1/quarantine', 'quarantine');
      // a node in quarantine for another reason, such as a restored backup, stays there
      if (waiting.some(({ node_uuid: node, handed_to: receiver }) => node === uuid && receiver === to))
        await api.post(`${pathOfNode(uuid)}/quarantine/release`, { unchecked: true });
    },
  };
}

type Tables = Parameters<Parameters<Awaited<ReturnType<typeof readerOfTables>>>[1]>[0];

/** Returns the machine, with the maintenance that its node had before the move. */
function machineIn(tables: Tables, uuid: string): MovedMachine {
  const node = tables.nodes.get(uuid);
  if (node === undefined) throw new Error(`there is no node ${uuid} any more`);
  const ofNode = { sql: 'node_uuid = ?', values: [uuid] };
  const { allocation_uuid: allocation, chassis_uuid: chassis } = node;
  return {
    node: { ...node, ...originalMaintenance(tables, uuid) },
    ports: records(tables.ports.where(ofNode)),
    portgroups: records(tables.portgroups.where(ofNode)),
    volumeConnectors: records(tables.volumeConnectors.where(ofNode)),
    volumeTargets: records(tables.volumeTargets.where(ofNode)),
    allocation: allocation === null ? undefined : records([tables.allocations.get(allocation)])[0],
    chassis: chassis === null ? undefined : records([tables.chassis.get(chassis)])[0],
  };
}

function originalMaintenance({ quarantine }: Tables, uuid: string): Partial<Maintenance> {
  const found = quarantine.of(uuid);
  return found === undefined
    ? {}
    : { maintenance: found.maintenance, maintenance_reason: found.maintenance_reason };
}

/** Returns the records as JSON objects, without those that are undefined. Their fields have the names of the API already. */
const records = (found: readonly unknown[]): readonly JsonObject[] =>
  found.filter((record): record is JsonObject => isJsonObject(record));
