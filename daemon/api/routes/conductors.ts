// /v1/conductors: the host that drives the nodes.
import { conductorFields, type ConductorRecord } from '../../model/conductor-record.ts';
import { fault } from '../../model/faults.ts';
import { linkPair } from '../links.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../route.ts';

const listParameters = {
  detail: { kind: 'flag' },
  fields: { kind: 'list' },
  limit: { kind: 'integer' },
  marker: { kind: 'text' },
  sort_key: { kind: 'text' },
  sort_dir: { kind: 'text' },
} as const satisfies Parameters;

export const conductorRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/v1/conductors', since: 49, query: listParameters, handler: list }),
  route({
    method: 'GET',
    path: '/v1/conductors/:hostname',
    since: 49,
    query: { fields: listParameters.fields },
    handler: show,
  }),
];

const SUMMARY = ['hostname', 'conductor_group', 'alive'];
const ALL = [...SUMMARY, 'drivers', 'created_at', 'updated_at'];

function list(request: ApiRequest<typeof listParameters>): Reply {
  const { detail, fields } = request.query;
  const names = detail === true ? ALL : (fields ?? SUMMARY);
  const conductors = page(request, request.services.db.conductors.list());
  return { status: 200, body: { conductors: conductors.map((one) => view(one, names, request)) } };
}

// A handful of rows at most: ordered and cut in memory
function page(
  { query }: ApiRequest<typeof listParameters>,
  all: readonly ConductorRecord[],
): readonly ConductorRecord[] {
  const { limit = all.length + 1, marker } = query;
  if (limit < 1) throw fault('InvalidParameter', { name: 'limit', reason: 'Limit must be positive' });
  const ordered = all.toSorted(orderOf(query));
  const start = marker === undefined ? 0 : ordered.findIndex((one) => one.hostname === marker) + 1;
  if (marker !== undefined && start === 0) throw fault('ConductorNotFound', { conductor: marker });
  return ordered.slice(start, start + limit);
}

function orderOf(query: ApiRequest<typeof listParameters>['query']) {
  const key = query.sort_key === undefined || query.sort_key === 'id' ? 'created_at' : query.sort_key;
  if (key === 'drivers' || !Object.hasOwn(conductorFields, key)) throw fault('InvalidSortKey', { key });
  const sign = query.sort_dir === 'desc' ? -1 : 1;
  const value = (one: ConductorRecord) => String(one[key as keyof ConductorRecord]);
  return (a: ConductorRecord, b: ConductorRecord) => sign * value(a).localeCompare(value(b));
}

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const hostname = request.parameters['hostname'] ?? '';
  const conductor = request.services.db.conductors.get(hostname);
  if (conductor === undefined) throw fault('ConductorNotFound', { conductor: hostname });
  return { status: 200, body: view(conductor, request.query.fields ?? ALL, request) };
}

function view(conductor: ConductorRecord, names: readonly string[], { baseUrl }: ApiRequest): object {
  const unknown = names.find((name) => !ALL.includes(name) && name !== 'links');
  if (unknown !== undefined) throw fault('InvalidField', { field: unknown });
  const { online, ...fields } = conductor;
  const all: Readonly<Record<string, unknown>> = { ...fields, alive: online };
  return {
    ...Object.fromEntries(names.filter((name) => name !== 'links').map((name) => [name, all[name]])),
    links: linkPair(baseUrl, `conductors/${conductor.hostname}`),
  };
}
