// /v1/nodes/{node}/traits.
import { changeTraits } from '../../conductor/node-traits.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import type { Node } from '../../model/node.ts';
import { takeArguments } from '../arguments.ts';
import { findNode } from '../node-identifiers.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';
import { checkedTraits } from '../trait-names.ts';

const TRAITS = '/v1/nodes/:node/traits';
const since = 37;

export const nodeTraitRoutes: readonly Route[] = [
  route({ method: 'GET', path: TRAITS, since, below: 406, handler: list }),
  route({ method: 'PUT', path: TRAITS, since, below: 405, body: 'json', handler: replace }),
  route({ method: 'DELETE', path: TRAITS, since, handler: clear }),
  route({ method: 'PUT', path: `${TRAITS}/:trait`, since, below: 405, body: 'json', handler: add }),
  route({ method: 'DELETE', path: `${TRAITS}/:trait`, since, handler: remove }),
];

const nodeOf = ({ services, parameters, minor }: ApiRequest): Node =>
  findNode(services, parameters['node'] ?? '', minor);

function list(request: ApiRequest): Reply {
  return { status: 200, body: { traits: nodeOf(request).traits } };
}

async function replace(request: ApiRequest): Promise<Reply> {
  const body = isJsonObject(request.body) ? request.body : {};
  const traits = checkedTraits(takeArguments(body, { traits: { kind: 'list', required: true } }).traits);
  await changeTraits(request.services, request.caller, nodeOf(request).uuid, () => traits);
  return { status: 204 };
}

async function clear(request: ApiRequest): Promise<Reply> {
  await changeTraits(request.services, request.caller, nodeOf(request).uuid, () => []);
  return { status: 204 };
}

async function add(request: ApiRequest): Promise<Reply> {
  const { services, caller, baseUrl, parameters, body } = request;
  const isEmpty =
    body === undefined || body === null || (isJsonObject(body) && Object.keys(body).length === 0);
  if (!isEmpty) throw fault('Invalid', { reason: 'A trait that is named in the path takes no body.' });
  const trait = parameters['trait'] ?? '';
  const added = checkedTraits([trait]);
  await changeTraits(services, caller, nodeOf(request).uuid, (traits) => [...traits, ...added]);
  return { status: 204, location: `${baseUrl}/v1/nodes/${parameters['node']}/traits/${trait}` };
}

async function remove(request: ApiRequest): Promise<Reply> {
  const { services, caller, parameters } = request;
  const { uuid } = nodeOf(request);
  const trait = parameters['trait'] ?? '';
  await changeTraits(services, caller, uuid, (traits) => {
    if (!traits.includes(trait)) throw fault('NodeTraitNotFound', { node: uuid, trait });
    return traits.filter((name) => name !== trait);
  });
  return { status: 204 };
}
