// /v1/conductors: the hosts that drive nodes.
import { type ConductorRecord, shownConductorFields } from '../../model/records/conductor-record.ts';
import { fault } from '../../model/faults.ts';
import { isDescending, limitOf, nextLink, pagingParameters } from '../../http/paging.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { fieldSchemas, linkedSchema, linkPair, pageSchema } from '../../http/schema-parts.ts';
import { listedFields, namedFields, shownRecord, type View } from '../../http/record-view.ts';

const listParameters = {
  detail: { kind: 'flag' },
  fields: { kind: 'list' },
  ...pagingParameters,
  marker: { kind: 'text' },
} as const satisfies Parameters;

const conductorSchema = linkedSchema('Conductor', fieldSchemas(shownConductorFields));

export const conductorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/conductors',
    since: 49,
    query: listParameters,
    answers: { 200: pageSchema('conductors', conductorSchema) },
    handler: list,
  }),
  route({
    method: 'GET',
    path: '/v1/conductors/:hostname',
    since: 49,
    query: { fields: listParameters.fields },
    answers: { 200: conductorSchema },
    handler: show,
  }),
];

const conductorView: View<ConductorRecord> = {
  fields: shownConductorFields,
  summary: ['hostname', 'conductor_group', 'alive'],
  shown: { alive: ({ online }) => online },
};

function list(request: ApiRequest<typeof listParameters>): Reply {
  const names = listedFields(conductorView, request);
  const limit = limitOf(request);
  const conductors = page(request, limit, request.services.db.conductors.list());
  const items = conductors.map(({ hostname }) => ({ uuid: hostname }));
  return {
    status: 200,
    body: {
      conductors: conductors.map((one) => view(one, names, request)),
      ...nextLink(request, { limit }, items),
    },
  };
}

// There are only a few conductors, so they are sorted and paged in memory
function page(
  { query }: ApiRequest<typeof listParameters>,
  limit: number,
  all: readonly ConductorRecord[],
): readonly ConductorRecord[] {
  const { marker } = query;
  const ordered = all.toSorted(orderOf(query));
  const start = marker === undefined ? 0 : ordered.findIndex((one) => one.hostname === marker) + 1;
  if (marker !== undefined && start === 0) throw fault('ConductorNotFound', { conductor: marker });
  return ordered.slice(start, start + limit);
}

function orderOf(query: ApiRequest<typeof listParameters>['query']) {
  const { sort_key: asked = '' } = query;
  const key = asked === '' || asked === 'id' ? 'created_at' : asked;
  if (!['hostname', 'conductor_group', 'created_at', 'updated_at'].includes(key))
    throw fault('InvalidSortKey', { key });
  const sign = isDescending(query) ? -1 : 1;
  const value = (one: ConductorRecord) => String(one[key as keyof ConductorRecord]);
  return (a: ConductorRecord, b: ConductorRecord) => sign * value(a).localeCompare(value(b));
}

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const hostname = request.parameters['hostname'] ?? '';
  const conductor = request.services.db.conductors.get(hostname);
  if (conductor === undefined) throw fault('ConductorNotFound', { conductor: hostname });
  return { status: 200, body: view(conductor, namedFields(conductorView, request), request) };
}

const view = (conductor: ConductorRecord, names: readonly string[] | undefined, request: ApiRequest) => ({
  ...shownRecord(conductorView, conductor, request, names),
  links: linkPair(request.baseUrl, `conductors/${conductor.hostname}`),
});
