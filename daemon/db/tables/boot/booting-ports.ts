// What the DHCP server knows of a MAC address: its port and node. Reads only the columns that it needs, not whole records.
import type { Connection } from '../../open.ts';

export interface BootingPort {
  readonly node_uuid: string;
  readonly secure_boot: boolean;
  readonly pxe_enabled: boolean;
  /** The service to which the node was handed over, if any. */
  readonly handed_to: string | null;
  /** extra/ipv4_address of the port, as written; null when there is none. */
  readonly ipv4_address: string | null;
  /** extra/ipv6_address of the port, as written; null when there is none. */
  readonly ipv6_address: string | null;
  /** extra/dhcp_options of the port as JSON; null when there are none. */
  readonly dhcp_options: string | null;
}

export type BootingPortsTable = ReturnType<typeof createBootingPortsTable>;

const BY_MAC = `SELECT node_uuid, secure_boot IS 1, pxe_enabled,
    CAST(json_extract(ports.extra, '$.ipv4_address') AS TEXT),
    CAST(json_extract(ports.extra, '$.ipv6_address') AS TEXT), ports.extra -> '$.dhcp_options',
    (SELECT handed_to FROM quarantined_nodes WHERE quarantined_nodes.node_uuid = nodes.uuid)
  FROM ports JOIN nodes ON nodes.uuid = node_uuid WHERE address = ?`;
// the query uses the index ports_reserved_address
const RESERVED = `SELECT address FROM ports WHERE json_extract(extra, '$.ipv4_address') = ? ORDER BY id LIMIT 1`;
// the query uses the index ports_reserved_ipv6_address
const RESERVED_IPV6 = `SELECT address FROM ports WHERE json_extract(extra, '$.ipv6_address') = ? ORDER BY id LIMIT 1`;
// the query uses the index ports_client_id
const BY_CLIENT_ID = `SELECT address FROM ports WHERE lower(json_extract(extra, '$."client-id"')) = ? ORDER BY id LIMIT 1`;

export function createBootingPortsTable(connection: Connection) {
  const byMac = connection.prepare(BY_MAC).raw();
  const reserved = connection.prepare(RESERVED).pluck();
  const reservedIpv6 = connection.prepare(RESERVED_IPV6).pluck();
  const byClientId = connection.prepare(BY_CLIENT_ID).pluck();
  return {
    /** `mac` in canonical form. */
    byMac(mac: string): BootingPort | undefined {
      const row = byMac.get(mac) as
        | readonly [string, number, number, string | null, string | null, string | null, string | null]
        | undefined;
      if (row === undefined) return undefined;
      const [node_uuid, secureBoot, pxeEnabled, ipv4_address, ipv6_address, dhcp_options, handed_to] = row;
      return {
        node_uuid,
        secure_boot: secureBoot === 1,
        pxe_enabled: pxeEnabled === 1,
        ipv4_address,
        ipv6_address,
        dhcp_options,
        handed_to,
      };
    },
    /** The MAC address of the oldest port that reserves the IPv4 address, or the IPv6 address in canonical form. */
    reservedFor: (address: string): string | undefined =>
      (address.includes(':') ? reservedIpv6 : reserved).get(address) as string | undefined,
    /** The MAC address of the oldest port with this client identifier in extra/client-id, in lower case. */
    macOfClientId: (clientId: string): string | undefined => byClientId.get(clientId) as string | undefined,
  };
}
