// /v1/runbooks/{runbook}/traits: a runbook may be used on nodes that have one of its traits.
import { changeSimpleRecord } from '../../conductor/records/simple-records.ts';
import type { Route } from '../../http/route.ts';
import { findRunbook } from '../resource-identifiers.ts';
import { runbookKind } from './runbooks.ts';
import { traitRoutes } from './trait-lists.ts';

export const runbookTraitRoutes: readonly Route[] = traitRoutes({
  of: '/v1/runbooks/:runbook',
  parameter: 'runbook',
  since: 112,
  traitsOf: (request) => request.named('runbook', findRunbook).traits,
  change(request, next) {
    const runbook = request.named('runbook', findRunbook);
    const traits = [...new Set(next(runbook.traits))].toSorted();
    changeSimpleRecord(request.services, runbookKind, runbook, { traits });
  },
});
