// Reads the database of a daemon that may be running, without writing to it or blocking the daemon.
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';
import { type Tables, tablesOf } from './database.ts';
import { knownVersion } from './migrate.ts';
import { type InspectedMachines, readInspectedMachines } from './tables/boot/inspected-machines.ts';

export interface DatabaseReader {
  /** Whether nothing has been read yet, or a change was committed since the last read. */
  isStale(): boolean;
  machines(
    states: readonly string[],
    inspectInterfaces: readonly string[],
    withTags: boolean,
  ): InspectedMachines;
  close(): void;
}

/** How long a read waits for a daemon that is opening or closing the database. */
const LOCK_TIMEOUT_MILLISECONDS = 100;

/**
 * Throws an Error with a message for the operator when the database cannot be opened. The methods of the reader also throw such
 * an Error when they cannot read the database.
 */
export function openReader(path: string): DatabaseReader {
  const connection = connect(path);
  const readable = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof Database.SqliteError ? unreadable(path, error) : error;
    }
  };
  // changes with each commit of another connection
  const dataVersion = () => connection.pragma('data_version', { simple: true }) as number;
  let versionRead: number | undefined;
  return {
    isStale: () => readable(dataVersion) !== versionRead,
    machines: (states, inspectInterfaces, withTags) =>
      readable(() => {
        knownVersion(connection);
        const version = dataVersion();
        const machines = readInspectedMachines(connection, states, inspectInterfaces, withTags);
        versionRead = version;
        return machines;
      }),
    close: () => void connection.close(),
  };
}

/** Opens the tables read-only for one call of `read` and returns its result. */
export function readTables<T>(path: string, read: (tables: Tables) => T): T {
  const connection = connect(path);
  try {
    knownVersion(connection);
    return read(tablesOf(connection));
  } catch (error) {
    throw error instanceof Database.SqliteError ? unreadable(path, error) : error;
  } finally {
    connection.close();
  }
}

function connect(path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: LOCK_TIMEOUT_MILLISECONDS });
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, error: unknown): Error =>
  new Error(
    `The database ${path} cannot be read ([database] path): ${reasonOf(error)}. Check that ironic-edge has been started with it, and that this user may read it and its -wal and -shm files: use the same user as ironic-edge, or give the file a common group and run chmod 640, which ironic-edge preserves.`,
    { cause: error },
  );
