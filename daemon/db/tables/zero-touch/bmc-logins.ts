// The bmc_logins table: logins that machines say to have made on their own BMCs.
import type { Connection } from '../../open.ts';

/** A claim: anybody on the machines' network can send one. */
export interface ClaimedBmcLogin {
  /** That of the BMC, in canonical form. */
  readonly address: string;
  /** Where it came from. */
  readonly sender: string;
  readonly username: string;
  readonly password: string;
  readonly serial_number: string | null;
  readonly system_uuid: string | null;
  readonly macs: readonly string[];
  /** ISO 8601 in UTC. */
  readonly received_at: string;
}

export interface ReceivedBmcLogin extends ClaimedBmcLogin {
  /** When the BMC last refused a login of this sender; ISO 8601 in UTC. */
  readonly refused_at: string | null;
}

export type BmcLoginsTable = ReturnType<typeof createBmcLoginsTable>;

/** More machines than any site has at once between their first boot and their enrolment. */
const MOST_LOGINS = 1000;

export function createBmcLoginsTable(connection: Connection) {
  // what a sender says anew does not make its last refusal unhappen
  const put = connection.prepare(
    `INSERT INTO bmc_logins (address, sender, username, password, serial_number, system_uuid, macs, received_at)
     VALUES ($address, $sender, $username, $password, $serial_number, $system_uuid, $macs, $received_at)
     ON CONFLICT DO UPDATE SET username = excluded.username, password = excluded.password,
       serial_number = excluded.serial_number, system_uuid = excluded.system_uuid, macs = excluded.macs,
       received_at = excluded.received_at`,
  );
  const forgetOldest = connection.prepare(
    `DELETE FROM bmc_logins WHERE (address, sender) IN
     (SELECT address, sender FROM bmc_logins
        ORDER BY received_at DESC, address, sender LIMIT -1 OFFSET ${MOST_LOGINS})`,
  );
  const inTurn = connection.prepare(
    "SELECT * FROM bmc_logins WHERE address = ? ORDER BY coalesce(refused_at, ''), received_at DESC",
  );
  const refuse = connection.prepare('UPDATE bmc_logins SET refused_at = ? WHERE address = ? AND sender = ?');
  return {
    /** Replaces the claim of the same sender for the same BMC. When too many are stored, the oldest is forgotten. */
    put(login: ClaimedBmcLogin): void {
      put.run({ ...login, macs: JSON.stringify(login.macs) });
      forgetOldest.run();
    },
    /** Returns the claims for the BMC in the order in which they are tried: first those of senders that were not refused. */
    inTurn: (address: string): readonly ReceivedBmcLogin[] =>
      (inTurn.all(address) as (ReceivedBmcLogin & { readonly macs: string })[]).map((row) => ({
        ...row,
        macs: JSON.parse(row.macs) as string[],
      })),
    refuse: (address: string, sender: string, refusedAt: string): void =>
      void refuse.run(refusedAt, address, sender),
  };
}
