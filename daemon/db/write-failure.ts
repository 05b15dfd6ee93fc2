// Failures of the database that its disk is the cause of, told as faults: an operator can mend them.
import Database from 'better-sqlite3';
import { type Fault, fault } from '../model/faults.ts';

const CAUSES = /^SQLITE_(?:FULL|IOERR|READONLY)/;

/** Undefined for any other error. */
export function writeFailure(error: unknown): Fault | undefined {
  if (!(error instanceof Database.SqliteError) || !CAUSES.test(error.code)) return undefined;
  return fault('DatabaseUnwritable', { reason: error.message }, { cause: error });
}
