// The tables dhcp_leases (IPv4) and dhcp6_leases: which machine has leased which address from the DHCP server, and until when.
import type { Connection } from '../../open.ts';

export interface LeaseRecord {
  readonly address: string;
  /** Null while no machine may have the address, because another host uses it. */
  readonly mac: string | null;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export type DhcpLeasesTable = ReturnType<typeof createDhcpLeasesTable>;

export function createDhcpLeasesTable(connection: Connection, table: 'dhcp_leases' | 'dhcp6_leases') {
  const all = connection.prepare(
    `SELECT address, mac, expires_at FROM ${table} ORDER BY expires_at, address`,
  );
  const one = connection.prepare(`SELECT address, mac, expires_at FROM ${table} WHERE address = ?`);
  const put = connection.prepare(
    `INSERT OR REPLACE INTO ${table} (address, mac, expires_at) VALUES (?, ?, ?)`,
  );
  const count = connection
    .prepare(`SELECT count(*) FROM ${table} WHERE mac IS NOT NULL AND expires_at > ?`)
    .pluck();
  const remove = connection.prepare(`DELETE FROM ${table} WHERE address = ?`);
  return {
    /** Returns all leases; those that expire first come first. */
    list: (): LeaseRecord[] => all.all() as LeaseRecord[],
    get: (address: string): LeaseRecord | undefined => one.get(address) as LeaseRecord | undefined,
    /** Returns how many machines have an address at the time `now`, in milliseconds since the epoch. */
    count: (now: number) => Number(count.get(now)),
    /** Stores the lease in place of earlier leases of the address and of the machine. */
    put({ address, mac, expires_at }: LeaseRecord): void {
      put.run(address, mac, expires_at);
    },
    remove(address: string): void {
      remove.run(address);
    },
  };
}
