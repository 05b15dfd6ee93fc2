// Opens the database: SQLite in WAL mode with synchronous=FULL, so that what was acknowledged survives power loss.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';
import { migrate } from './migrate.ts';
import { isThere, keepPrivate, lockOf, PRIVATE } from './state-files.ts';

export type Connection = Database.Database;

/**
 * How long a write waits for another program that is writing, such as an operator's SQLite shell. Nothing else runs
 * meanwhile, so it is short: the daemon is the only one that writes in normal operation.
 */
const BUSY_MILLISECONDS = 100;

/**
 * Opens (and creates or migrates) the database at `path`. Throws when another daemon already uses it: locks on nodes
 * live in one process's memory, so there may be only one. `warn` is called with sentences for the operator.
 */
export function openDatabase(
  path: string,
  warn: (sentence: string) => void = () => {},
): { readonly connection: Connection; readonly close: () => void } {
  makeFolder(dirname(path));
  const usedBefore = existsSync(lockOf(path));
  const release = claim(path);
  try {
    if (!isThere(path, usedBefore)) create(path);
    keepPrivate(path, warn);
    const connection = connect(path);
    connection.pragma(`busy_timeout = ${BUSY_MILLISECONDS}`);
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

/** The file gets its name when it is whole: an empty one always means a loss. */
function create(path: string): void {
  const draft = `${path}.new`;
  for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  makePrivate(path, draft);
  connect(draft).close();
  renameSync(draft, path);
}

/** Makes `file`, of the database at `path`, before SQLite does: that would make it readable for all. */
function makePrivate(path: string, file: string): void {
  try {
    closeSync(openSync(file, 'a', PRIVATE));
  } catch (error) {
    throw unusable(path, error);
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
  makePrivate(path, lockOf(path));
  const lock = new Database(lockOf(path), { timeout: 0 });
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
