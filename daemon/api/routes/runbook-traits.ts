// /v1/runbooks/{runbook}/traits: a node must have one of them for the runbook to be used on it.
import { changePlain } from '../../conductor/plain-records.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { isTrait, TRAIT_RULE } from '../../model/traits.ts';
import { findRunbook } from '../find-runbook.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';
import { runbookKind } from './runbooks.ts';

const SINCE = 112;
const TRAITS = '/v1/runbooks/:runbook/traits';

export const runbookTraitRoutes: readonly Route[] = [
  route({ method: 'GET', path: TRAITS, since: SINCE, handler: list }),
  route({ method: 'PUT', path: TRAITS, since: SINCE, body: 'json', handler: replaceAll }),
  route({ method: 'DELETE', path: TRAITS, since: SINCE, handler: (request) => changeTo(request, () => []) }),
  route({ method: 'PUT', path: `${TRAITS}/:trait`, since: SINCE, body: 'json', handler: addOne }),
  route({ method: 'DELETE', path: `${TRAITS}/:trait`, since: SINCE, handler: removeOne }),
];

const runbookOf = ({ services, parameters }: ApiRequest) =>
  findRunbook(services, parameters['runbook'] ?? '');

function list(request: ApiRequest): Reply {
  return { status: 200, body: { traits: runbookOf(request).traits } };
}

function changeTo(request: ApiRequest, change: (traits: readonly string[]) => readonly string[]): Reply {
  const runbook = runbookOf(request);
  const traits = [...new Set(change(runbook.traits))].toSorted();
  changePlain(request.services, runbookKind, runbook, { traits });
  return { status: 204 };
}

function replaceAll(request: ApiRequest): Reply {
  const { body } = request;
  const traits = isJsonObject(body) && Object.keys(body).length === 1 ? body['traits'] : undefined;
  if (!Array.isArray(traits)) {
    throw fault('InvalidSchema', {
      resource: 'traits',
      reason: 'expected an object with a list called traits and nothing else',
    });
  }
  const checked = traits.map(checkedTrait);
  return changeTo(request, () => checked);
}

function addOne(request: ApiRequest): Reply {
  const { body, baseUrl, parameters } = request;
  if (body !== undefined && !(isJsonObject(body) && Object.keys(body).length === 0)) {
    throw fault('Invalid', { reason: 'No body should be provided when setting a single trait.' });
  }
  const trait = checkedTrait(parameters['trait']);
  return {
    ...changeTo(request, (traits) => [...traits, trait]),
    location: `${baseUrl}/v1/runbooks/${parameters['runbook']}/traits/${trait}`,
  };
}

// one that is not there is as good as removed
function removeOne(request: ApiRequest): Reply {
  return changeTo(request, (traits) => traits.filter((trait) => trait !== request.parameters['trait']));
}

function checkedTrait(trait: unknown): string {
  if (typeof trait === 'string' && isTrait(trait)) return trait;
  throw fault('InvalidParameter', { name: 'trait', reason: `${JSON.stringify(trait)}: ${TRAIT_RULE}` });
}
