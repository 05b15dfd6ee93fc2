// Opens the database: SQLite in WAL mode with synchronous=FULL, so that what was acknowledged survives power loss.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';
import { migrate } from './migrate.ts';

export type Connection = Database.Database;

/**
 * Opens (and creates or migrates) the database at `path`. Throws when another daemon already uses it: locks on nodes
 * live in one process's memory, so there may be only one.
 */
export function openDatabase(path: string): { readonly connection: Connection; readonly close: () => void } {
  makeFolder(dirname(path));
  const release = claim(path);
  try {
    const connection = connect(path);
    return {
      connection,
      close() {
        connection.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `The directory ${folder} cannot be made ([DEFAULT] state_path, [database] path): ${reasonOf(error)}. Make it writable for this user, or choose another.`,
      { cause: error },
    );
  }
}

function connect(path: string): Connection {
  const connection = new Database(path);
  try {
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    migrate(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error instanceof Database.SqliteError ? unusable(path, error) : error;
  }
}

const unusable = (path: string, error: unknown): Error =>
  new Error(
    `The database ${path} cannot be used ([database] path): ${reasonOf(error)}. See that it is a database of ironic-edge which this user may write, with room on its disk; or restore a backup.`,
    { cause: error },
  );

// An exclusive transaction on a file beside the database: the kernel ends the claim with the process, however it dies
function claim(path: string): () => void {
  const lock = new Database(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const busy = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
    if (!busy) throw unusable(path, error);
    throw new Error(
      `${path} is in use by another ironic-edge. Stop that one, or give this one its own [DEFAULT] state_path.`,
      { cause: error },
    );
  }
  return () => {
    lock.close();
  };
}
