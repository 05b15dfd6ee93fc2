// The user_tokens table: tokens of programs that were made on the page or over the API.
import type { Connection } from '../../open.ts';

export interface StoredToken {
  /** A UUID, which lists show. */
  readonly id: string;
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly digest: string;
  readonly user: string;
  /** The day (UTC, YYYY-MM-DD) at whose start the token expires; null: it does not expire. */
  readonly until: string | null;
  /** ISO 8601 in UTC. */
  readonly made_at: string;
  readonly made_by: string | null;
}

export type UserTokensTable = ReturnType<typeof createUserTokensTable>;

export function createUserTokensTable(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO user_tokens (id, digest, user, until, made_at, made_by)
     VALUES ($id, $digest, $user, $until, $made_at, $made_by)`,
  );
  const byDigest = connection.prepare('SELECT * FROM user_tokens WHERE digest = ?');
  const all = connection.prepare('SELECT * FROM user_tokens ORDER BY user, made_at, id');
  const count = connection.prepare('SELECT count(*) FROM user_tokens').pluck();
  const remove = connection.prepare('DELETE FROM user_tokens WHERE id = ?');
  return {
    insert: (token: StoredToken): void => void insert.run(token),
    withDigest: (digest: string): StoredToken | undefined => byDigest.get(digest) as StoredToken | undefined,
    list: (): readonly StoredToken[] => all.all() as StoredToken[],
    count: (): number => Number(count.get()),
    /** Returns whether there was such a token. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
  };
}
