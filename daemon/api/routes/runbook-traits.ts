// /v1/runbooks/{runbook}/traits: a runbook may be used on nodes that have one of its traits.
import { changeUnmanaged } from '../../conductor/records/unmanaged-records.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { argumentsSchema, takeArguments } from '../../http/arguments.ts';
import { findRunbook } from '../find-runbook.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { listSchema, objectSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { checkedTraits, traitsArgument } from '../bodies/trait-names.ts';
import { runbookKind } from './runbooks.ts';

const SINCE = 112;
const TRAITS = '/v1/runbooks/:runbook/traits';

const done = { since: SINCE, answers: { 204: null } } as const;

export const runbookTraitRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: TRAITS,
    since: SINCE,
    answers: { 200: wholeSchema({ traits: listSchema(textSchema) }) },
    handler: list,
  }),
  route({
    ...done,
    method: 'PUT',
    path: TRAITS,
    body: { json: argumentsSchema(traitsArgument) },
    handler: replaceAll,
  }),
  route({ ...done, method: 'DELETE', path: TRAITS, handler: (request) => changeTo(request, () => []) }),
  route({
    ...done,
    method: 'PUT',
    path: `${TRAITS}/:trait`,
    body: { json: objectSchema({}, []) },
    handler: addOne,
  }),
  route({ ...done, method: 'DELETE', path: `${TRAITS}/:trait`, handler: removeOne }),
];

const runbookOf = ({ services, parameters }: ApiRequest) =>
  findRunbook(services, parameters['runbook'] ?? '');

function list(request: ApiRequest): Reply {
  return { status: 200, body: { traits: runbookOf(request).traits } };
}

function changeTo(request: ApiRequest, change: (traits: readonly string[]) => readonly string[]): Reply {
  const runbook = runbookOf(request);
  const traits = [...new Set(change(runbook.traits))].toSorted();
  changeUnmanaged(request.services, runbookKind, runbook, { traits });
  return { status: 204 };
}

function replaceAll(request: ApiRequest): Reply {
  const body = isJsonObject(request.body) ? request.body : {};
  const traits = checkedTraits(takeArguments(body, traitsArgument, request.minor).traits);
  return changeTo(request, () => traits);
}

function addOne(request: ApiRequest): Reply {
  const { baseUrl, parameters, body } = request;
  const isEmpty =
    body === undefined || body === null || (isJsonObject(body) && Object.keys(body).length === 0);
  if (!isEmpty)
    throw fault('Invalid', { reason: 'A request that names the trait in its path takes no body.' });
  const trait = parameters['trait'] ?? '';
  const added = checkedTraits([trait]);
  return {
    ...changeTo(request, (traits) => [...traits, ...added]),
    location: `${baseUrl}/v1/runbooks/${parameters['runbook']}/traits/${trait}`,
  };
}

// removing a trait that the runbook does not have succeeds
function removeOne(request: ApiRequest): Reply {
  return changeTo(request, (traits) => traits.filter((trait) => trait !== request.parameters['trait']));
}
