// What is known of machines, for those who decide which of them may boot from the network.
import type { Connection } from '../open.ts';

export interface KnownPort {
  readonly address: string;
  /** It is a port of a node in inspection. */
  readonly inspected: boolean;
  /** That of the options which dnsmasq has for the node, when the machine may boot from this port and tags are asked for. */
  readonly tag: string | null;
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

const PORTS = `WITH tagged AS MATERIALIZED (
    SELECT uuid, CAST(json_extract(driver_internal_info, '$.dnsmasq_tag') AS TEXT) AS tag FROM nodes
    WHERE ? AND instr(driver_internal_info, '"dnsmasq_tag"') > 0)
  SELECT address, node_uuid IN (${INSPECTED}) AS inspected, tag FROM ports
  LEFT JOIN tagged ON pxe_enabled = 1 AND tagged.uuid = node_uuid ORDER BY id`;

/** A node counts as in inspection while it is in one of `states` with one of `inspectInterfaces`; tags take time. */
export function readMachines(
  connection: Connection,
  states: readonly string[],
  inspectInterfaces: readonly string[],
  withTags: boolean,
): KnownMachines {
  const given = [JSON.stringify(states), JSON.stringify(inspectInterfaces)];
  return connection.transaction(() => {
    const inspecting = connection.prepare(`${INSPECTED} LIMIT 1`).get(...given) !== undefined;
    const rows = connection.prepare(PORTS).all(Number(withTags), ...given) as {
      address: string;
      inspected: number;
      tag: string | null;
    }[];
    return { inspecting, ports: rows.map((row) => ({ ...row, inspected: row.inspected === 1 })) };
  })();
}
