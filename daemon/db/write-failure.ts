// Turns database write failures that the daemon did not cause into faults. These failures are temporary, or an operator can fix
// them.
import Database from 'better-sqlite3';
import { type Fault, fault } from '../model/faults.ts';

const CAUSES = /^SQLITE_(?:FULL|IOERR|READONLY)/;

/** Returns the fault for a write failure that the daemon did not cause; undefined for any other error. */
export function writeFailure(error: unknown): Fault | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  if (error.code.startsWith('SQLITE_BUSY')) return fault('DatabaseBusy', {}, { cause: error });
  if (!CAUSES.test(error.code)) return undefined;
  return fault('DatabaseUnwritable', { reason: error.message }, { cause: error });
}
