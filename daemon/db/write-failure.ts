// Why the database refused a write: a failure that the daemon did not cause, as a fault, which is temporary or an operator can fix; or
// a value that must be unique.
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

/** Returns the UNIQUE column that made a write fail; undefined if the write failed for another reason. */
export function collidingColumn(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_CONSTRAINT_UNIQUE') return undefined;
  return /UNIQUE constraint failed: \w+\.(\w+)/.exec(error.message)?.[1];
}
