// The routes for the traits of nodes and runbooks: they read, replace or empty the whole list, and add or remove one trait.
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { type Parameters, parametersSchema, takeParameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { listSchema, objectSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { checkedTraits } from '../../model/traits.ts';

type Traits = readonly string[];

export interface TraitList {
  /** The path of the resource that has the traits, with its parameter: `/v1/nodes/:node`. */
  readonly of: string;
  readonly parameter: string;
  readonly since: number;
  /** The statuses of answers to requests in API versions below `since`; 404 unless given. */
  readonly belowForGet?: 406;
  readonly belowForPut?: 405;
  readonly traitsOf: (request: ApiRequest) => Traits;
  /** Stores the traits that `next` returns for the current ones. */
  readonly change: (request: ApiRequest, next: (traits: Traits) => Traits) => void | Promise<void>;
  /** Throws the error for the removal of an absent trait. Not set: such a removal succeeds. */
  readonly refuseAbsent?: (request: ApiRequest, trait: string) => void;
}

const whole = { traits: { kind: 'array', required: true } } as const satisfies Parameters;

export function traitRoutes(list: TraitList): readonly Route[] {
  const { belowForGet, belowForPut, traitsOf } = list;
  const all = { path: `${list.of}/traits`, since: list.since };
  const one = { ...all, path: `${all.path}/:trait` };
  const put = { method: 'PUT', answers: { 204: null }, ...(belowForPut && { below: belowForPut }) } as const;
  const removal = { method: 'DELETE', answers: { 204: null } } as const;
  return [
    route({
      ...all,
      method: 'GET',
      ...(belowForGet && { below: belowForGet }),
      answers: { 200: wholeSchema({ traits: listSchema(textSchema) }) },
      handler: (request) => ({ status: 200, body: { traits: traitsOf(request) } }),
    }),
    route({
      ...all,
      ...put,
      body: { json: parametersSchema(whole) },
      handler(request) {
        const body = isJsonObject(request.body) ? request.body : {};
        const traits = checkedTraits(takeParameters(body, whole, request.minor).traits);
        return changed(list, request, () => traits);
      },
    }),
    route({ ...all, ...removal, handler: (request) => changed(list, request, () => []) }),
    route({
      ...one,
      ...put,
      body: { json: objectSchema({}, []) },
      handler: (request) => added(list, request),
    }),
    route({ ...one, ...removal, handler: (request) => removed(list, request) }),
  ];
}

async function changed(
  { change }: TraitList,
  request: ApiRequest,
  next: (traits: Traits) => Traits,
): Promise<Reply> {
  await change(request, next);
  return { status: 204 };
}

async function added(list: TraitList, request: ApiRequest): Promise<Reply> {
  const { baseUrl, parameters, body } = request;
  const isEmpty =
    body === undefined || body === null || (isJsonObject(body) && Object.keys(body).length === 0);
  if (!isEmpty)
    throw fault('Invalid', { reason: 'A request that names the trait in its path takes no body.' });
  const { trait = '', [list.parameter]: owner = '' } = parameters;
  const given = checkedTraits([trait]);
  const reply = await changed(list, request, (traits) => [...traits, ...given]);
  const place = list.of.replace(`:${list.parameter}`, () => owner);
  return { ...reply, location: `${baseUrl}${place}/traits/${trait}` };
}

function removed(list: TraitList, request: ApiRequest): Promise<Reply> {
  const { trait = '' } = request.parameters;
  return changed(list, request, (traits) => {
    if (!traits.includes(trait)) list.refuseAbsent?.(request, trait);
    return traits.filter((name) => name !== trait);
  });
}
