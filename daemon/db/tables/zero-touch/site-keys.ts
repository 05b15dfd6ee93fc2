// The site_keys table: the private keys for what machines send sealed. They are in the database, so each backup contains them.
import type { Connection } from '../../open.ts';

export interface SiteKey {
  /** PKCS #8, in Base64. */
  readonly private_key: string;
  /** ISO 8601 in UTC. */
  readonly made_at: string;
}

export type SiteKeysTable = ReturnType<typeof createSiteKeysTable>;

const KEPT = 2;

export function createSiteKeysTable(connection: Connection) {
  const insert = connection.prepare(
    'INSERT INTO site_keys (private_key, made_at) VALUES ($private_key, $made_at)',
  );
  const removeOld = connection.prepare(
    `DELETE FROM site_keys WHERE id NOT IN (SELECT id FROM site_keys ORDER BY id DESC LIMIT ${KEPT})`,
  );
  const all = connection.prepare('SELECT private_key, made_at FROM site_keys ORDER BY id DESC');
  return {
    /** Adds a key, and removes all but the one before it. */
    add(key: SiteKey): void {
      insert.run(key);
      removeOld.run();
    },
    /** The newest first. */
    all: () => all.all() as readonly SiteKey[],
  };
}
