// Opens the database: SQLite in WAL mode with synchronous=FULL, so that acknowledged changes survive power loss.
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';
import { migrate } from './migrate.ts';
import { isThere, keepPrivate, lockOf, PRIVATE } from './state-files.ts';

export type Connection = Database.Database;

/**
 * How long a write waits for another program that is writing, such as an operator's SQLite shell. The time is short because the
 * wait blocks the whole daemon; in normal operation nothing else writes.
 */
const BUSY_MILLISECONDS = 100;

/**
 * Opens (and creates or migrates) the database at `path`. Throws if another daemon is using it: node locks are kept in
 * memory, so there may be only one daemon. `warn` is called with sentences for the operator.
 */
export function openDatabase(
  path: string,
  warn: (sentence: string) => void = () => {},
): { readonly connection: Connection; readonly close: () => void } {
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
      `The directory ${folder} cannot be created ([DEFAULT] state_path, [database] path): ${reasonOf(error)}. Let this user write to its parent directory, or choose another path.`,
      { cause: error },
    );
  }
}

/**
 * Creates the database under a temporary name and renames it, so that a crash during the creation does not leave an empty file,
 * which `isThere` would take for data loss.
 */
function create(path: string): void {
  const draft = `${path}.new`;
  for (const file of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(file, { force: true });
  makePrivate(path, draft);
  connect(draft).close();
  renameSync(draft, path);
}

/** Creates `file`, which belongs to the database at `path`, before SQLite does: SQLite would make it readable for all users. */
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
    `The database ${path} cannot be used ([database] path): ${reasonOf(error)}. Check that it is a database of ironic-edge, that this user may write it and that its disk has free space; or restore a backup.`,
    { cause: error },
  );

/**
 * Claims the database for this process, and returns a function that releases the claim. Throws when another process has claimed
 * the database. The claim is an exclusive transaction on the lock file: the kernel releases it when the process ends, however
 * the process ends.
 */
export function claim(path: string): () => void {
  makeFolder(dirname(path));
  makePrivate(path, lockOf(path));
  const lock = new Database(lockOf(path), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const busy = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
    if (!busy) throw unusable(path, error);
    throw new Error(
      `${path} is in use by another ironic-edge. Stop that one, or set a different [DEFAULT] state_path for this one.`,
      { cause: error },
    );
  }
  return () => {
    lock.close();
  };
}
