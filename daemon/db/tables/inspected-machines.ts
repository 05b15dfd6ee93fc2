// What is known of machines, for those who decide which of them may boot from the network.
import type { Connection } from '../open.ts';

export interface KnownPort {
  readonly address: string;
  /** It is a port of a node in inspection. */
  readonly inspected: boolean;
}

export interface KnownMachines {
  /** A node is in inspection; it may have no ports. */
  readonly inspecting: boolean;
  /** Every port there is. */
  readonly ports: readonly KnownPort[];
}

// Only columns that every version of the schema has: the database may not have been migrated yet
const INSPECTED = `SELECT uuid FROM nodes
  WHERE provision_state IN (SELECT value FROM json_each(?)) AND inspect_interface IN (SELECT value FROM json_each(?))`;

/** A node counts as in inspection while it is in one of `states` with one of `inspectInterfaces`. */
export function readMachines(
  connection: Connection,
  states: readonly string[],
  inspectInterfaces: readonly string[],
): KnownMachines {
  const given = [JSON.stringify(states), JSON.stringify(inspectInterfaces)];
  return connection.transaction(() => {
    const inspecting = connection.prepare(`${INSPECTED} LIMIT 1`).get(...given) !== undefined;
    const rows = connection
      .prepare(`SELECT address, node_uuid IN (${INSPECTED}) AS inspected FROM ports ORDER BY id`)
      .all(...given) as { address: string; inspected: number }[];
    return { inspecting, ports: rows.map((row) => ({ ...row, inspected: row.inspected === 1 })) };
  })();
}
