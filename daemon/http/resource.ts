// The routes of a resource: list, detail, show, create, change, delete.
import type { Paging } from '../db/tables/paging.ts';
import type { Schema } from '../lib/json/typed-schema.ts';
import type { Bodies } from './bodies/bodies.ts';
import { malformedRoutes } from './malformed-routes.ts';
import { nextLink, pagingOf, pagingParameters } from './paging.ts';
import { parseUuidOrThrow } from './parameter-kinds.ts';
import type { Parameter, Parameters } from './parameters.ts';
import { type ApiRequest, byArgument, type Reply, type Route, route } from './route.ts';
import { linkedSchema, linkPair, pageSchema } from './schema-parts.ts';
import { sizeCheck } from '../conductor/records/storable-record.ts';
import { listedFields, namedFields, shownRecord, type View, viewSchemas } from './record-view.ts';

type Identified = { readonly uuid: string };

export interface Resource<R extends Identified, F extends Parameters = Parameters> extends View<R> {
  /** The name of the resource in the OpenAPI document. */
  readonly title: string;
  /** Path below /v1, such as `portgroups` or `volume/connectors`. */
  readonly path: string;
  /** The key of the list in answers. */
  readonly key: string;
  readonly since: number;
  /** The status for POST, PATCH and DELETE requests of older API versions. Not set: 404, which an older GET always gets. */
  readonly below?: 405;
  /** The minor API version that introduced PATCH, if later than `since`. */
  readonly changeSince?: number;
  /** The table of these resources; set if their names may end in `.json`. */
  readonly namedIn?: Route['namedIn'];
  /** The parameter that names the record of a DELETE request to the path of the list. */
  readonly argument?: string;
  /** Set if lists have no path `/detail`. Every API version that has the resource then accepts the query parameter `detail`. */
  readonly detailByArgument?: true;
  /** Query parameters of lists in addition to paging, `fields` and `detail`. */
  readonly filters: F;
  /** Returns one page of records. Each needs only its uuid and the columns in `names`. */
  readonly list: (
    request: ApiRequest<F>,
    names: readonly (keyof R & string)[],
    paging: Paging,
  ) => readonly R[];
  /** Returns the record that a path or a marker names. Throws the resource's NotFound. */
  readonly find: (request: ApiRequest, identifier: string) => R;
  /** Describes POST and PATCH bodies, and reads PATCH bodies. */
  readonly bodies: Omit<Bodies<R>, 'fromPost'>;
  readonly create: (request: ApiRequest) => R | Promise<R>;
  /**
   * `changesOf`: returns what the request changes in `stored`, the record as the database has it now.
   */
  readonly change: (request: ApiRequest, record: R, changesOf: (stored: R) => Partial<R>) => R | Promise<R>;
  /** Query parameters of DELETE. */
  readonly removal?: Parameters;
  readonly remove: (request: ApiRequest, record: R) => void | Promise<void>;
}

type ShapeParameters = {
  readonly fields: Parameter & { readonly kind: 'list' };
  readonly detail: Parameter & { readonly kind: 'flag' };
};

/** A resource whose records clients neither create nor change. */
type ReadResource<R extends Identified, F extends Parameters = Parameters> = Omit<
  Resource<R, F>,
  'bodies' | 'create' | 'change'
>;

export const shapeParameters: ShapeParameters = {
  fields: { kind: 'list', since: 8 },
  detail: { kind: 'flag', since: 43, tooOld: 400 },
};

export function resourceRoutes<R extends Identified, F extends Parameters>(
  resource: Resource<R, F>,
): readonly Route[] {
  const { path, since } = resource;
  return [
    ...listRoutes(resource, { path: `/v1/${path}`, since }),
    showRoute(resource),
    ...writeRoutes(resource),
  ];
}

/** Routes to list, show and delete records. */
export const readRoutes = <R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
): readonly Route[] => {
  const { path, since, namedIn } = resource;
  const one = { path: `/v1/${path}/:id`, since, ...(namedIn !== undefined && { namedIn }) };
  return [
    ...listRoutes(resource, { path: `/v1/${path}`, since }),
    showRoute(resource),
    ...removeRoutes(resource, one),
  ];
};

/** The path of a list, and the minor API version that introduced it. */
interface Place {
  readonly path: string;
  readonly since: number;
}

/** Returns the routes of a list below another resource, and routes that refuse to create or address single records there. */
export function sublistRoutes<R extends Identified, F extends Parameters>(
  resource: Resource<R, F>,
  place: Place,
  list: Resource<R>['list'],
): readonly Route[] {
  return [...listRoutes({ ...resource, filters: {}, list }, place), ...malformedRoutes(place, resource.path)];
}

function listRoutes<R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  { path, since }: Place,
): readonly Route[] {
  const { filters, detailByArgument, summary } = resource;
  const { fields, detail } = shapeParameters;
  const answers = { 200: pageSchema(resource.key, recordSchema(resource)) };
  const list = { method: 'GET', path, since, answers } as const;
  const query = { ...filters, ...pagingParameters };
  if (summary === 'whole') {
    return [
      route({
        ...list,
        query: { ...query, fields },
        handler: (request: ApiRequest<F & typeof pagingParameters & Pick<ShapeParameters, 'fields'>>) =>
          listReply(resource, request, listedFields(resource, request)),
      }),
    ];
  }
  const short = route({
    ...list,
    query: { ...query, fields, detail: detailByArgument === true ? { kind: 'flag' as const } : detail },
    handler: (request: ApiRequest<F & typeof pagingParameters & ShapeParameters>) =>
      listReply(resource, request, listedFields(resource, request)),
  });
  const whole = route({
    ...list,
    path: `${path}/detail`,
    query,
    handler: (request: ApiRequest<F & typeof pagingParameters>) => listReply(resource, request, undefined),
  });
  return detailByArgument === true ? [short] : [short, whole];
}

const recordOf = <R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  request: ApiRequest,
): R => resource.find(request, request.parameters['id'] ?? '');

function showRoute<R extends Identified, F extends Parameters>(resource: ReadResource<R, F>): Route {
  return route({
    method: 'GET',
    path: `/v1/${resource.path}/:id`,
    since: resource.since,
    ...(resource.namedIn !== undefined && { namedIn: resource.namedIn }),
    query: { fields: shapeParameters.fields },
    answers: { 200: recordSchema(resource) },
    handler: (request) => showReply(resource, request, recordOf(resource, request)),
  });
}

/** Returns the reply that shows one record, whole or with the requested fields. */
export function showReply<R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  request: ApiRequest<{ fields: { kind: 'list' } }>,
  record: R,
): Reply {
  return { status: 200, body: view(resource, record, request, namedFields(resource, request)) };
}

function writeRoutes<R extends Identified, F extends Parameters>(resource: Resource<R, F>): readonly Route[] {
  const { path, since, below, changeSince = since, namedIn, bodies, create, change } = resource;
  const all = { path: `/v1/${path}`, since, ...(below !== undefined && { below }) };
  const one = { ...all, path: `${all.path}/:id`, ...(namedIn !== undefined && { namedIn }) };
  const refuseTooLarge = sizeCheck<R>(resource.fields);
  return [
    route({
      ...all,
      method: 'POST',
      body: { json: bodies.postSchema },
      answers: { 201: recordSchema(resource) },
      handler: async (request) => created(resource, await create(request), request),
    }),
    route({
      ...one,
      since: changeSince,
      method: 'PATCH',
      body: { json: bodies.patchSchema },
      answers: { 200: recordSchema(resource) },
      async handler(request) {
        const operations = bodies.operations(request.body, request.minor);
        const record = await change(request, recordOf(resource, request), (stored) => {
          const changes = bodies.changes(stored, operations, request.minor);
          refuseTooLarge(request.services.config, stored, changes);
          return changes;
        });
        return { status: 200, body: view(resource, record, request, undefined) };
      },
    }),
    ...removeRoutes(resource, one),
  ];
}

function removeRoutes<R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  one: Pick<Route, 'path' | 'since' | 'below' | 'namedIn'>,
): readonly Route[] {
  const item = route({
    ...one,
    method: 'DELETE',
    ...(resource.removal && { query: resource.removal }),
    answers: { 204: null },
    async handler(request) {
      await resource.remove(request, recordOf(resource, request));
      return { status: 204 };
    },
  });
  return resource.argument === undefined ? [item] : [item, byArgument(item, resource.argument)];
}

function created<R extends Identified, F extends Parameters>(
  resource: Resource<R, F>,
  record: R,
  request: ApiRequest,
): Reply {
  return {
    status: 201,
    body: view(resource, record, request, undefined),
    location: `${request.baseUrl}/v1/${resource.path}/${record.uuid}`,
  };
}

/** Returns the reply with one page of records, with the named fields or whole. */
function listReply<R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  request: ApiRequest<F & typeof pagingParameters>,
  names: readonly string[] | undefined,
): Reply {
  const paging = pagingOf(request, resource.fields, (marker) =>
    resource.find(request, parseUuidOrThrow(marker)),
  );
  const columns = Object.keys(resource.fields).filter((name) => resource.fields[name]?.computed !== true);
  const needed =
    names === undefined ? columns : columns.filter((name) => name === 'uuid' || names.includes(name));
  const records = resource.list(request, needed as (keyof R & string)[], paging);
  return {
    status: 200,
    body: {
      [resource.key]: records.map((record) => view(resource, record, request, names)),
      ...nextLink(request, paging, records),
    },
  };
}

/** Returns the JSON Schema of a record as the API shows it, whole or with the requested fields. */
export const recordSchema = <R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
): Schema => linkedSchema(resource.title, viewSchemas(resource));

function view<R extends Identified, F extends Parameters>(
  resource: ReadResource<R, F>,
  record: R,
  request: ApiRequest,
  names: readonly string[] | undefined,
): object {
  return {
    ...shownRecord(resource, record, request, names),
    links: linkPair(request.baseUrl, `${resource.path}/${record.uuid}`),
  };
}
