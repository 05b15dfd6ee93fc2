// /v1/nodes/{node}/traits.
import { findNode } from '../../conductor/records/find/find-node.ts';
import { changeTraits } from '../../conductor/records/node-traits.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { parametersSchema, takeParameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { listSchema, objectSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { checkedTraits, traitsParameter } from '../bodies/trait-names.ts';

const TRAITS = '/v1/nodes/:node/traits';

const done = { since: 37, answers: { 204: null } } as const;

export const nodeTraitRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: TRAITS,
    since: 37,
    below: 406,
    answers: { 200: wholeSchema({ traits: listSchema(textSchema) }) },
    handler: list,
  }),
  route({
    ...done,
    method: 'PUT',
    path: TRAITS,
    below: 405,
    body: { json: parametersSchema(traitsParameter) },
    handler: replace,
  }),
  route({ ...done, method: 'DELETE', path: TRAITS, handler: clear }),
  route({
    ...done,
    method: 'PUT',
    path: `${TRAITS}/:trait`,
    below: 405,
    body: { json: objectSchema({}, []) },
    handler: add,
  }),
  route({ ...done, method: 'DELETE', path: `${TRAITS}/:trait`, handler: remove }),
];

function list(request: ApiRequest): Reply {
  return { status: 200, body: { traits: request.named('node', findNode).traits } };
}

async function replace(request: ApiRequest): Promise<Reply> {
  const body = isJsonObject(request.body) ? request.body : {};
  const traits = checkedTraits(takeParameters(body, traitsParameter, request.minor).traits);
  await changeTraits(request.services, request.caller, request.named('node', findNode).uuid, () => traits);
  return { status: 204 };
}

async function clear(request: ApiRequest): Promise<Reply> {
  await changeTraits(request.services, request.caller, request.named('node', findNode).uuid, () => []);
  return { status: 204 };
}

async function add(request: ApiRequest): Promise<Reply> {
  const { services, caller, baseUrl, parameters, body } = request;
  const isEmpty =
    body === undefined || body === null || (isJsonObject(body) && Object.keys(body).length === 0);
  if (!isEmpty)
    throw fault('Invalid', { reason: 'A request that names the trait in its path takes no body.' });
  const trait = parameters['trait'] ?? '';
  const added = checkedTraits([trait]);
  await changeTraits(services, caller, request.named('node', findNode).uuid, (traits) => [
    ...traits,
    ...added,
  ]);
  return { status: 204, location: `${baseUrl}/v1/nodes/${parameters['node']}/traits/${trait}` };
}

async function remove(request: ApiRequest): Promise<Reply> {
  const { services, caller, parameters } = request;
  const { uuid } = request.named('node', findNode);
  const trait = parameters['trait'] ?? '';
  await changeTraits(services, caller, uuid, (traits) => {
    if (!traits.includes(trait)) throw fault('NodeTraitNotFound', { node: uuid, trait });
    return traits.filter((name) => name !== trait);
  });
  return { status: 204 };
}
