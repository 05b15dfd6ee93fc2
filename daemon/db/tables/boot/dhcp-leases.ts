// The dhcp_leases table: which machine has leased which address from the DHCP server, and until when.
import type { Connection } from '../../open.ts';

export interface LeaseRecord {
  readonly address: string;
  /** Null while no machine may have the address, because another host uses it. */
  readonly mac: string | null;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export type DhcpLeasesTable = ReturnType<typeof createDhcpLeasesTable>;

export function createDhcpLeasesTable(connection: Connection) {
  const all = connection.prepare(
    'SELECT address, mac, expires_at FROM dhcp_leases ORDER BY expires_at, address',
  );
  const put = connection.prepare(
    'INSERT OR REPLACE INTO dhcp_leases (address, mac, expires_at) VALUES (?, ?, ?)',
  );
  const count = connection
    .prepare('SELECT count(*) FROM dhcp_leases WHERE mac IS NOT NULL AND expires_at > ?')
    .pluck();
  const remove = connection.prepare('DELETE FROM dhcp_leases WHERE address = ?');
  return {
    /** Returns all leases; those that expire first come first. */
    list: (): LeaseRecord[] => all.all() as LeaseRecord[],
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
