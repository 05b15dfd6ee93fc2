// How requests name runbooks.
import type { Services } from '../conductor/services.ts';
import { fault } from '../model/faults.ts';
import type { Runbook } from '../model/step-lists.ts';
import { findByUuidOrName } from './uuid-or-name.ts';

/** Throws InvalidUuidOrName or RunbookNotFound. */
export function findRunbook({ db }: Services, identifier: string): Runbook {
  const found = findByUuidOrName(db.runbooks, identifier);
  if (found === undefined) throw fault('RunbookNotFound', { runbook: identifier });
  return found;
}
