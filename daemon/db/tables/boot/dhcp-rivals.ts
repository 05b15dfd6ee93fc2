// The dhcp_rivals table: DHCP servers other than the daemon's own that give addresses on the daemon's networks.
import type { Connection } from '../../open.ts';

export interface DhcpRival {
  readonly address: string;
  /** The interface of this host on whose network the other server gives addresses. */
  readonly interface: string;
  /** Milliseconds since the epoch. */
  readonly last_seen: number;
}

export type DhcpRivalsTable = ReturnType<typeof createDhcpRivalsTable>;

/** Three times as long as the interval of the search, because the answer to one search may be lost. */
const RECENT_MILLISECONDS = 1_800_000;
/** Whoever has found so many other servers looks for them with other means. */
const MOST_RIVALS = 8;

export function createDhcpRivalsTable(connection: Connection) {
  const put = connection.prepare(
    `INSERT OR REPLACE INTO dhcp_rivals (address, interface, last_seen) SELECT $address, $interface, $last_seen
     WHERE (SELECT count(*) FROM dhcp_rivals WHERE address <> $address) < ${MOST_RIVALS}`,
  );
  const forget = connection.prepare('DELETE FROM dhcp_rivals WHERE last_seen <= ?');
  const recent = connection.prepare(
    'SELECT address, interface, last_seen FROM dhcp_rivals WHERE last_seen > ? ORDER BY address LIMIT ?',
  );
  return {
    /**
     * Stores when the server was seen, and forgets servers that were last seen half an hour or longer before. Returns false, and
     * does not store, when MOST_RIVALS others are stored.
     */
    put(rival: DhcpRival): boolean {
      forget.run(rival.last_seen - RECENT_MILLISECONDS);
      return put.run(rival).changes > 0;
    },
    /** Returns the servers seen in the half hour before `now`. `now`: milliseconds since the epoch. */
    recent: (now: number): readonly DhcpRival[] =>
      recent.all(now - RECENT_MILLISECONDS, MOST_RIVALS) as DhcpRival[],
  };
}
