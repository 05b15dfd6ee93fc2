// The facts from which ironic-pxe-filter decides which machines may boot from the network.
import type { Connection } from '../../open.ts';

export interface KnownPort {
  readonly address: string;
  /** extra/client-id of the port as it was stored; null if it has none. */
  readonly clientId: string | null;
  /** Whether the port belongs to a node in inspection. */
  readonly inspected: boolean;
  /** The tag of the node's dnsmasq options; null unless tags are requested and the machine may boot from this port. */
  readonly tag: string | null;
}

export interface InspectedMachines {
  /** Whether any node is in inspection, even one without ports. */
  readonly inspecting: boolean;
  /** All ports in the database. */
  readonly ports: readonly KnownPort[];
}

// these queries use only columns that every schema version has, because the database may not have been migrated yet
const INSPECTED = `SELECT uuid FROM nodes
  WHERE provision_state IN (SELECT value FROM json_each(?)) AND inspect_interface IN (SELECT value FROM json_each(?))`;

const PORTS = `WITH tagged AS MATERIALIZED (
    SELECT uuid, CAST(json_extract(driver_internal_info, '$.dnsmasq_tag') AS TEXT) AS tag FROM nodes
    WHERE ? AND instr(driver_internal_info, '"dnsmasq_tag"') > 0)
  SELECT address, CASE WHEN instr(extra, '"client-id"') > 0 THEN CAST(json_extract(extra, '$."client-id"') AS TEXT) END AS clientId,
    node_uuid IN (${INSPECTED}) AS inspected, tag FROM ports
  LEFT JOIN tagged ON pxe_enabled = 1 AND tagged.uuid = node_uuid ORDER BY id`;

/** A node is in inspection if it is in one of `states` with one of `inspectInterfaces`. Reading tags takes extra time. */
export function readInspectedMachines(
  connection: Connection,
  states: readonly string[],
  inspectInterfaces: readonly string[],
  withTags: boolean,
): InspectedMachines {
  const given = [JSON.stringify(states), JSON.stringify(inspectInterfaces)];
  return connection.transaction(() => {
    const inspecting = connection.prepare(`${INSPECTED} LIMIT 1`).get(...given) !== undefined;
    const rows = connection.prepare(PORTS).all(Number(withTags), ...given) as {
      address: string;
      clientId: string | null;
      inspected: number;
      tag: string | null;
    }[];
    return { inspecting, ports: rows.map((row) => ({ ...row, inspected: row.inspected === 1 })) };
  })();
}
