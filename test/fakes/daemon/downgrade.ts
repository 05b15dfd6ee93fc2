// Makes a database that an earlier release has written, from one of this release.
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { migrations } from '../../../daemon/db/migrate.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../daemon/db/migrations');

/** Gives the database the schema of `version`, with all rows and columns that this schema has. Nothing may have it open. */
export function downgrade(path: string, version: number): void {
  const old = `${path}.old`;
  const connection = new Database(old);
  for (const { version: each, file } of migrations())
    if (each <= version) connection.exec(readFileSync(join(MIGRATIONS, file), 'utf8'));
  connection.pragma(`user_version = ${version}`);
  connection.pragma('foreign_keys = OFF');
  connection.prepare('ATTACH ? AS newer').run(path);
  const columns = (schema: string, table: string) =>
    (connection.pragma(`${schema}.table_info(${table})`) as readonly { name: string }[]).map(
      ({ name }) => name,
    );
  const tables = connection
    .prepare("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as readonly string[];
  for (const table of tables) {
    const newer = columns('newer', table);
    const shared = columns('main', table).filter((name) => newer.includes(name));
    if (shared.length > 0)
      connection.exec(
        `INSERT OR REPLACE INTO main.${table} (${shared.join()}) SELECT ${shared.join()} FROM newer.${table}`,
      );
  }
  connection.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  renameSync(old, path);
}
