// Turns database write failures that the daemon did not cause into faults: they pass, or an operator can fix them.
import Database from 'better-sqlite3';
import { type Fault, fault } from '../model/faults.ts';

const CAUSES = /^SQLITE_(?:FULL|IOERR|READONLY)/;

/** Returns the fault for such an error; undefined for any other. */
export function writeFailure(error: unknown): Fault | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  if (error.code.startsWith('SQLITE_BUSY')) return fault('DatabaseBusy', {}, { cause: error });
  if (!CAUSES.test(error.code)) return undefined;
  return fault('DatabaseUnwritable', { reason: error.message }, { cause: error });
}
