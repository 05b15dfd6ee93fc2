// /v1/ports and /v1/nodes/{node}/ports.
import { createPort, deletePort, updatePort } from '../../conductor/port-records.ts';
import { portConditions, type PortFilters } from '../../db/tables/ports.ts';
import { fault } from '../../model/faults.ts';
import { type Port, portFields, portSummary } from '../../model/port.ts';
import { findNode } from '../node-identifiers.ts';
import { pagingParameters } from '../paging.ts';
import { parseUuidOrThrow } from '../parameters.ts';
import { portBodies, withNodeUuid } from '../port-bodies.ts';
import { listReply, type Resource, resourceRoutes, shapeOf, shapeParameters } from '../resource.ts';
import { type ApiRequest, type Parameters, type Route, route } from '../route.ts';

const filters = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  address: { kind: 'mac' },
  shard: { kind: 'list', since: 82 },
  description_contains: { kind: 'text' },
} as const satisfies Parameters;

const LOCKED_WHILE_INSPECTING_SINCE = 39;

const ports: Resource<Port, typeof filters> = {
  path: 'ports',
  key: 'ports',
  since: 1,
  fields: portFields,
  summary: portSummary,
  filters,
  list: (request, names, paging) =>
    request.services.db.ports.list(names, portConditions(filtersOf(request)), paging),
  find({ services }, identifier) {
    const port =
      services.db.ports.get(identifier.toLowerCase()) ?? services.db.ports.findBy('name', identifier);
    if (port !== undefined) return port;
    if (!/^[A-Za-z0-9\-._~]{1,255}$/.test(identifier))
      throw fault('InvalidUuidOrName', { value: identifier });
    throw fault('PortNotFound', { port: identifier });
  },
  create({ services, body, minor }) {
    const given = withNodeUuid(body, minor, (identifier) => findNode(services, identifier, minor).uuid);
    return createPort(services, portBodies.fromPost(given, minor) as Port);
  },
  change({ services, caller, body, minor }, { uuid }) {
    const operations = portBodies.operations(body, minor);
    return updatePort(services, caller, uuid, {
      change: (stored) => portBodies.changes(stored, operations, minor),
      refuseWhileInspecting: minor >= LOCKED_WHILE_INSPECTING_SINCE,
    });
  },
  remove: ({ services, caller, parameters }) =>
    deletePort(services, caller, parseUuidOrThrow(parameters['id'] ?? '')),
};

function filtersOf({ services, query, minor }: ApiRequest<typeof filters>): PortFilters {
  const node = query.node ?? query.node_uuid;
  if (node !== undefined && query.shard !== undefined) throw fault('OperationNotPermitted', {});
  return {
    equal: {
      ...(node !== undefined && { node_uuid: findNode(services, node, minor).uuid }),
      ...(query.address !== undefined && { address: query.address }),
    },
    shards: query.shard,
    descriptionContains: query.description_contains,
  };
}

/** The same resource, of the node that the path names. */
const ofNode: Resource<Port, Record<never, never>> = {
  ...ports,
  filters: {},
  list: ({ services, parameters, minor }, names, paging) => {
    const { uuid } = findNode(services, parameters['node'] ?? '', minor);
    return services.db.ports.list(names, portConditions({ equal: { node_uuid: uuid } }), paging);
  },
};

export const portRoutes: readonly Route[] = [
  ...resourceRoutes(ports),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/ports',
    since: 1,
    query: { ...pagingParameters, ...shapeParameters },
    handler: (request) => listReply(ofNode, request, shapeOf(ofNode, request)),
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/ports/detail',
    since: 1,
    query: pagingParameters,
    handler: (request) => listReply(ofNode, request, undefined),
  }),
];
