// The user_sessions table: people who have signed in on the page.
import type { Connection } from '../../open.ts';
import type { Role } from '../../../model/roles.ts';

export interface StoredSession {
  /** A UUID, which lists show. */
  readonly id: string;
  /** The SHA-256 of what the browser's cookie holds, in hexadecimal digits. */
  readonly digest: string;
  readonly user: string;
  /** The role that a provider gave; null: the section [users] decides. */
  readonly role: Role | null;
  /** A digest of what the sign-in rests on. */
  readonly basis: string;
  /** Where the sign-in came from; null for a Unix socket. */
  readonly address: string | null;
  /** The User-Agent header of the sign-in. */
  readonly browser: string;
  /** ISO 8601 in UTC, as is `seen_at`. */
  readonly made_at: string;
  /** When the browser was last used with it. */
  readonly seen_at: string;
}

export type UserSessionsTable = ReturnType<typeof createUserSessionsTable>;

export function createUserSessionsTable(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO user_sessions (id, digest, user, role, basis, address, browser, made_at, seen_at)
     VALUES ($id, $digest, $user, $role, $basis, $address, $browser, $made_at, $seen_at)`,
  );
  const byDigest = connection.prepare('SELECT * FROM user_sessions WHERE digest = ?');
  const all = connection.prepare('SELECT * FROM user_sessions ORDER BY seen_at DESC, id');
  const see = connection.prepare('UPDATE user_sessions SET seen_at = ? WHERE id = ?');
  const remove = connection.prepare('DELETE FROM user_sessions WHERE id = ?');
  const removeAll = connection.prepare('DELETE FROM user_sessions');
  return {
    insert: (session: StoredSession): void => void insert.run(session),
    withDigest: (digest: string): StoredSession | undefined =>
      byDigest.get(digest) as StoredSession | undefined,
    /** The one that was used last comes first. */
    list: (): readonly StoredSession[] => all.all() as StoredSession[],
    see: (id: string, seenAt: string): void => void see.run(seenAt, id),
    remove: (id: string): void => void remove.run(id),
    removeAll: (): void => void removeAll.run(),
  };
}
