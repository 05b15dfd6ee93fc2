// /v1/ports and /v1/nodes/{node}/ports.
import { createPort, deletePort, updatePort } from '../../conductor/port-records.ts';
import { type PortFilters, portColumns } from '../../db/tables/ports.ts';
import { fault } from '../../model/faults.ts';
import { type Port, portFields, portSummary } from '../../model/port.ts';
import { linkPair } from '../links.ts';
import { findNode, findNodeByParameter } from '../node-identifiers.ts';
import { nextLink, pagingOf, pagingParameters } from '../paging.ts';
import { parseUuidOrThrow } from '../parameters.ts';
import { newPortFields, parsePortPatch, portPatchChanges } from '../port-bodies.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../route.ts';
import { checkedFields, fieldsUpTo, refuseFieldsWithDetail } from '../visible-fields.ts';

const shapeParameters = {
  fields: { kind: 'list', since: 8 },
  detail: { kind: 'flag', since: 43, tooOld: 400 },
} as const satisfies Parameters;
const filterParameters = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'mac' },
  shard: { kind: 'list', since: 82 },
  description_contains: { kind: 'text' },
  ...pagingParameters,
} as const satisfies Parameters;

const LOCKED_WHILE_INSPECTING_SINCE = 39;

export const portRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/ports',
    since: 1,
    query: { ...filterParameters, ...shapeParameters },
    handler: (request) => listOf(request, filtersOf(request), shapeOf(request)),
  }),
  route({ method: 'POST', path: '/v1/ports', since: 1, body: 'json', handler: create }),
  route({
    method: 'GET',
    path: '/v1/ports/detail',
    since: 1,
    query: filterParameters,
    handler: (request) => listOf(request, filtersOf(request), fieldsUpTo(portFields, request.minor)),
  }),
  route({
    method: 'GET',
    path: '/v1/ports/:port',
    since: 1,
    query: { fields: shapeParameters.fields },
    handler: show,
  }),
  route({ method: 'PATCH', path: '/v1/ports/:port', since: 1, body: 'json', handler: patch }),
  route({ method: 'DELETE', path: '/v1/ports/:port', since: 1, handler: remove }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/ports',
    since: 1,
    query: { ...pagingParameters, ...shapeParameters },
    handler: (request) => listOf(request, ofNode(request), shapeOf(request)),
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/ports/detail',
    since: 1,
    query: pagingParameters,
    handler: (request) => listOf(request, ofNode(request), fieldsUpTo(portFields, request.minor)),
  }),
];

const ofNode = ({ services, parameters, minor }: ApiRequest): PortFilters => ({
  equal: { node_uuid: findNode(services, parameters['node'] ?? '', minor).uuid },
});

function filtersOf({ services, query, minor }: ApiRequest<typeof filterParameters>): PortFilters {
  const node = query.node ?? query.node_uuid;
  if (node !== undefined && query.shard !== undefined) throw fault('OperationNotPermitted', {});
  return {
    equal: {
      ...(node !== undefined && { node_uuid: findNodeByParameter(services, node, minor).uuid }),
      ...(query.address !== undefined && { address: query.address }),
    },
    ...(query.shard !== undefined && { shards: query.shard }),
    ...(query.description_contains !== undefined && { descriptionContains: query.description_contains }),
  };
}

function shapeOf({ query, minor }: ApiRequest<typeof shapeParameters>): readonly string[] {
  refuseFieldsWithDetail(query);
  if (query.detail === true) return fieldsUpTo(portFields, minor);
  return query.fields === undefined ? portSummary : checkedFields(portFields, query.fields, minor);
}

function listOf(
  request: ApiRequest<typeof pagingParameters>,
  filters: PortFilters,
  names: readonly string[],
): Reply {
  const paging = pagingOf(request, portFields, (marker) => findPort(request, marker));
  const columns = portColumns.names.filter((name) => name === 'uuid' || names.includes(name));
  const ports = request.services.db.ports.list(columns, filters, paging);
  return {
    status: 200,
    body: { ports: ports.map((port) => view(port, names, request)), ...nextLink(request, paging, ports) },
  };
}

function view(port: Port, names: readonly string[], { baseUrl }: ApiRequest): object {
  const shown = names.map((name) => [name, port[name as keyof Port]]);
  return { ...Object.fromEntries(shown), links: linkPair(baseUrl, `ports/${port.uuid}`) };
}

function findPort({ services }: ApiRequest, identifier: string): Port {
  const port = services.db.ports.get(identifier.toLowerCase()) ?? services.db.ports.getByName(identifier);
  if (port !== undefined) return port;
  if (!/^[A-Za-z0-9\-._~]{1,255}$/.test(identifier)) throw fault('InvalidUuidOrName', { value: identifier });
  throw fault('PortNotFound', { port: identifier });
}

const fullView = (port: Port, request: ApiRequest) =>
  view(port, fieldsUpTo(portFields, request.minor), request);

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const { query, minor } = request;
  const names =
    query.fields === undefined
      ? fieldsUpTo(portFields, minor)
      : checkedFields(portFields, query.fields, minor);
  return { status: 200, body: view(findPort(request, request.parameters['port'] ?? ''), names, request) };
}

function create(request: ApiRequest): Reply {
  const { services, minor, baseUrl } = request;
  const fields = newPortFields(
    request.body,
    minor,
    (identifier) => findNode(services, identifier, minor).uuid,
  );
  const port = createPort(services, fields);
  return { status: 201, body: fullView(port, request), location: `${baseUrl}/v1/ports/${port.uuid}` };
}

async function patch(request: ApiRequest): Promise<Reply> {
  const { services, caller, minor } = request;
  const operations = parsePortPatch(request.body, minor);
  const { uuid } = findPort(request, request.parameters['port'] ?? '');
  const port = await updatePort(services, caller, uuid, {
    change: (stored) => portPatchChanges(stored, operations, minor),
    refuseWhileInspecting: minor >= LOCKED_WHILE_INSPECTING_SINCE,
  });
  return { status: 200, body: fullView(port, request) };
}

async function remove(request: ApiRequest): Promise<Reply> {
  await deletePort(request.services, request.caller, parseUuidOrThrow(request.parameters['port'] ?? ''));
  return { status: 204 };
}
