// Checks a database without changing it. Used by ironic-edge doctor, by backup and restore, and by rehearsals.
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';
import { migrations } from './migrate.ts';

const MOST_PROBLEMS = 5;

/**
 * Returns a clause for each problem: the file is missing, unreadable or damaged, has no schema version (it belongs to another
 * program), or has a newer schema than this program knows. Empty when the database is intact.
 */
export function checkDatabase(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return ['there is no such file'];
  let connection: Database.Database | undefined;
  try {
    connection = new Database(path, { readonly: true, fileMustExist: true });
    const version = connection.pragma('user_version', { simple: true }) as number;
    const known = migrations().length;
    if (version > known)
      return [`its schema has version ${version}, but this program supports up to ${known}`];
    if (version === 0) return ['it is not a database of ironic-edge'];
    return [...integrity(connection), ...dangling(connection)];
  } catch (error) {
    return [reasonOf(error)];
  } finally {
    connection?.close();
  }
}

const integrity = (connection: Database.Database): readonly string[] =>
  (connection.pragma(`integrity_check(${MOST_PROBLEMS})`) as readonly { integrity_check: string }[])
    .map(({ integrity_check: text }) => text)
    .filter((text) => text !== 'ok');

const dangling = (connection: Database.Database): readonly string[] =>
  (connection.pragma('foreign_key_check') as readonly { table: string; parent: string }[])
    .slice(0, MOST_PROBLEMS)
    .map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that does not exist`);
