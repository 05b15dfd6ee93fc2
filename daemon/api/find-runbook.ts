// Finds the runbook that a request names.
import type { Services } from '../conductor/services.ts';
import { fault } from '../model/faults.ts';
import type { Runbook } from '../model/steps/step-lists.ts';
import { findByUuidOrName } from '../conductor/records/find/uuid-or-name.ts';

/** By UUID or name. Throws InvalidUuidOrName or RunbookNotFound. */
export function findRunbook({ db }: Services, identifier: string): Runbook {
  const found = findByUuidOrName(db.runbooks, identifier);
  if (found === undefined) throw fault('RunbookNotFound', { runbook: identifier });
  return found;
}
