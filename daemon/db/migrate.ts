// Numbered, forward-only migrations. All migrations that a database lacks run in one transaction, which also sets user_version.
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { PRIVATE } from './state-files.ts';

const directory = new URL('migrations/', import.meta.url);

interface Migration {
  readonly version: number;
  readonly file: string;
}

export function migrations(): readonly Migration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .map((file) => ({ version: Number.parseInt(file, 10), file }));
}

/**
 * Migrates the schema to the newest version; copies the database first unless it is new. Throws if the database is newer than
 * this program.
 */
export function migrate(connection: Database.Database): void {
  const current = knownVersion(connection);
  const missing = migrations().filter((migration) => migration.version > current);
  if (missing.length === 0) return;
  if (current > 0) keepBefore(connection);
  connection.transaction(() => {
    for (const { version, file } of missing) {
      connection.exec(readFileSync(new URL(file, directory), 'utf8'));
      connection.pragma(`user_version = ${version}`);
    }
  })();
}

/** The path of the copy that was made before the last migration. The release that ran before the migration can use it. */
export const beforeMigrationOf = (path: string): string => `${path}.before-migration`;

function keepBefore(connection: Database.Database): void {
  const file = beforeMigrationOf(connection.name);
  const part = `${file}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', PRIVATE));
    connection.prepare('VACUUM INTO ?').run(part);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    const needed = Math.ceil(statSync(connection.name).size / 2 ** 20);
    throw new Error(
      `The database cannot be copied to ${file} before its migration: ${String(error)}. The copy needs up to ${needed} MiB. Nothing has changed; make room and start again.`,
      { cause: error },
    );
  }
}

/** Returns the version of the schema. Throws if the database is newer than this program. */
export function knownVersion(connection: Database.Database): number {
  const current = connection.pragma('user_version', { simple: true }) as number;
  const newest = migrations().at(-1)?.version ?? 0;
  if (current <= newest) return current;
  throw new Error(
    `The database has schema version ${current}, but this ironic-edge supports up to ${newest}. Install the version that wrote it, or a newer one.`,
  );
}
