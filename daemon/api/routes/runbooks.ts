// /v1/runbooks: steps to clean or service nodes, and the traits of the nodes they may be used on.
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import { type Runbook, runbookFields, stepListSummary } from '../../model/steps/step-lists.ts';
import { isTrait, TRAIT_RULE } from '../../model/traits.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { findRunbook } from '../resource-identifiers.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import type { Route } from '../../http/route.ts';
import { isLogicalName, LOGICAL_NAME_RULE } from '../../conductor/records/find-record.ts';
import { refuseRepeatedSteps, shownSteps, withNumber } from '../bodies/written-steps.ts';

const FREE_NAMES_SINCE = 112;

export const runbookKind: SimpleKind<Runbook> = {
  resource: 'runbook',
  fields: runbookFields,
  table: (services) => services.db.runbooks,
};

const bodies = createBodies<Runbook>({
  resource: runbookKind.resource,
  fields: runbookFields,
  required: ['name', 'steps'],
  normalise(given, minor) {
    const { uuid, name, steps } = given;
    if (name !== undefined) checkName(name, minor);
    if (steps !== undefined) refuseRepeatedSteps(steps);
    return {
      ...given,
      ...(uuid !== undefined && { uuid: parseUuidOrThrow(uuid) }),
      ...(steps !== undefined && { steps: steps.map((step) => withNumber(step, 'order')) }),
    };
  },
});

function checkName(name: string, minor: number): void {
  const free = minor >= FREE_NAMES_SINCE;
  if (free ? isLogicalName(name) : isTrait(name)) return;
  const reason = free
    ? LOGICAL_NAME_RULE
    : `before API 1.${FREE_NAMES_SINCE} it must be a trait: ${TRAIT_RULE}`;
  throw fault('InvalidName', { name, resource: runbookKind.resource, reason });
}

const filters = { project: { kind: 'text' } } as const satisfies Parameters;

const runbooks: Resource<Runbook, typeof filters> = {
  title: 'Runbook',
  path: 'runbooks',
  argument: 'runbook_ident',
  key: 'runbooks',
  since: 92,
  below: 405,
  detailByArgument: true,
  fields: runbookFields,
  summary: stepListSummary,
  filters,
  shown: { steps: ({ steps }) => shownSteps(steps) },
  list: ({ services, query }, names, paging) =>
    services.db.runbooks.list(names, equalConditions<Runbook>({ owner: query.project }), paging),
  find: ({ services }, identifier) => findRunbook(services, identifier),
  create({ services, body, minor }) {
    const given = bodies.fromPost(body, minor);
    refuseOwnedInPublic(given);
    return createSimpleRecord(services, runbookKind, given);
  },
  bodies,
  change({ services }, record, changesOf) {
    const changes = changesOf(record);
    // a public runbook has no owner
    const complete = changes.public === true ? { owner: null, ...changes } : changes;
    refuseOwnedInPublic({ ...record, ...complete });
    return changeSimpleRecord(services, runbookKind, record, complete);
  },
  remove({ services }, { uuid }) {
    services.db.runbooks.remove(uuid);
  },
};

function refuseOwnedInPublic({ public: isPublic, owner }: Partial<Runbook>): void {
  if (isPublic === true && typeof owner === 'string') {
    throw fault('Invalid', { reason: 'There cannot be an owner for a public runbook.' });
  }
}

export const runbookRoutes: readonly Route[] = resourceRoutes(runbooks);
