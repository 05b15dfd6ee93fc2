// Failures to write the database that the daemon is not the cause of, as faults: they pass, or an operator can mend them.
import Database from 'better-sqlite3';
import { type Fault, fault } from '../model/faults.ts';

const CAUSES = /^SQLITE_(?:FULL|IOERR|READONLY)/;

/** Undefined for any other error. */
export function writeFailure(error: unknown): Fault | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  if (error.code.startsWith('SQLITE_BUSY')) return fault('DatabaseBusy', {}, { cause: error });
  if (!CAUSES.test(error.code)) return undefined;
  return fault('DatabaseUnwritable', { reason: error.message }, { cause: error });
}
