// Reads the SQLite database of an OpenStack Ironic, which may be running, without changing it.
import Database from 'better-sqlite3';
import { reasonOf } from '../model/faults.ts';

/** A row of Ironic's table `nodes`; `driver_info` and `instance_info` are JSON texts. */
export interface IronicRow {
  readonly uuid: string;
  readonly driver_info: string | null;
  readonly instance_info: string | null;
}

const LOCK_TIMEOUT_MILLISECONDS = 5000;

/** Throws a one-sentence Error when the file cannot be read as an Ironic database in SQLite. */
export function sqliteRows(file: string): readonly IronicRow[] {
  try {
    const options = { readonly: true, fileMustExist: true, timeout: LOCK_TIMEOUT_MILLISECONDS };
    const connection = new Database(file, options);
    try {
      return connection.prepare('SELECT uuid, driver_info, instance_info FROM nodes').all() as IronicRow[];
    } finally {
      connection.close();
    }
  } catch (error) {
    throw new Error(`${file} cannot be read as a database of Ironic: ${reasonOf(error)}`, { cause: error });
  }
}
