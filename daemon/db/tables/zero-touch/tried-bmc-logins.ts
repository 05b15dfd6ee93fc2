// The tried_bmc_logins table: which logins were tried at which BMC and not taken. A login is stored as the hash of user and password.
import type { Connection } from '../../open.ts';

export type TriedBmcLoginsTable = ReturnType<typeof createTriedBmcLoginsTable>;

export function createTriedBmcLoginsTable(connection: Connection) {
  const begin = connection.prepare(
    `INSERT INTO tried_bmc_logins (address, login, tried_at, attempts, refused) VALUES ($address, $login, $now, 1, 0)
     ON CONFLICT DO UPDATE SET
       attempts = CASE WHEN tried_at > $since THEN attempts + 1 ELSE 1 END, tried_at = excluded.tried_at, refused = 0`,
  );
  const refuse = connection.prepare(
    'UPDATE tried_bmc_logins SET refused = 1 WHERE address = ? AND login = ?',
  );
  const remove = connection.prepare('DELETE FROM tried_bmc_logins WHERE address = ? AND login = ?');
  const refusedAt = connection
    .prepare('SELECT tried_at FROM tried_bmc_logins WHERE address = ? AND login = ? AND refused = 1')
    .pluck();
  const attempts = connection
    .prepare('SELECT coalesce(sum(attempts), 0) FROM tried_bmc_logins WHERE address = ? AND tried_at > ?')
    .pluck();
  return {
    /** Stored before the BMC is asked. Attempts before `since` are forgotten. Times in ISO 8601. */
    begin: (attempt: {
      readonly address: string;
      readonly login: string;
      readonly now: string;
      readonly since: string;
    }): void => void begin.run(attempt),
    /** The BMC has refused the login. */
    refuse: (address: string, login: string): void => void refuse.run(address, login),
    /** The BMC has taken the login, or has not judged it. */
    remove: (address: string, login: string): void => void remove.run(address, login),
    /** Returns when the BMC refused the login; undefined: it did not. */
    refusedAt: (address: string, login: string) => refusedAt.get(address, login) as string | undefined,
    /** Returns how often any login was tried at the BMC since then and not taken. */
    attemptsSince: (address: string, since: string) => attempts.get(address, since) as number,
  };
}
