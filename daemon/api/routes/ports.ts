// /v1/ports and /v1/nodes/{node}/ports.
import { createPort, deletePort, updatePort } from '../../conductor/records/ports/port-records.ts';
import { portConditions, type PortFilters } from '../../db/tables/ports.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import { type Port, portFields, portSummary } from '../../model/records/port.ts';
import { findNode, findNodeByParameter, isLogicalName, nodeOf } from '../../conductor/records/find-record.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { portBodies, portPostSchema, shownConnection, withNodeUuid } from '../bodies/port-bodies.ts';
import { findPortgroup } from '../resource-identifiers.ts';
import { type Resource, resourceRoutes, sublistRoutes } from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import type { ApiRequest, Route } from '../../http/route.ts';

const filters = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
  portgroup: { kind: 'text', since: 24 },
  address: { kind: 'mac' },
  conductor_groups: { kind: 'list' },
  shard: { kind: 'names', since: 82 },
  description_contains: { kind: 'text' },
} as const satisfies Parameters;

const LOCKED_WHILE_INSPECTING_SINCE = 39;
const PORTGROUP_NETWORK_SINCE = 102;

const ports: Resource<Port, typeof filters> = {
  title: 'Port',
  path: 'ports',
  argument: 'port_uuid',
  key: 'ports',
  since: 1,
  fields: portFields,
  summary: portSummary,
  filters,
  bodies: { ...portBodies, postSchema: portPostSchema },
  shown: {
    local_link_connection: ({ local_link_connection }, { minor }) =>
      shownConnection(local_link_connection, minor),
  },
  list: (request, names, paging) =>
    request.services.db.ports.list(names, portConditions(filtersOf(request)), paging),
  find({ services }, identifier) {
    const port =
      services.db.ports.get(identifier.toLowerCase()) ?? services.db.ports.findBy('name', identifier);
    if (port !== undefined) return port;
    if (!isLogicalName(identifier)) throw fault('InvalidUuidOrName', { value: identifier });
    throw fault('PortNotFound', { port: identifier });
  },
  create({ services, body, minor }) {
    const given = withNodeUuid(body, minor, (identifier) => findNode(services, identifier, minor).uuid);
    return createPort(services, portBodies.fromPost(given, minor) as Port);
  },
  change: (request, { uuid }, change) =>
    updatePort(request, uuid, {
      change,
      refuseFrozen: request.minor >= LOCKED_WHILE_INSPECTING_SINCE,
      portgroupsHaveNetwork: request.minor >= PORTGROUP_NETWORK_SINCE,
    }),
  remove: (request) => deletePort(request, parseUuidOrThrow(request.parameters['id'] ?? '')),
};

function filtersOf({ services, query, minor }: ApiRequest<typeof filters>): PortFilters {
  const node = query.node ?? query.node_uuid;
  const { portgroup, address, shard: shards, conductor_groups: conductorGroups } = query;
  if (countGiven(node, portgroup, shards) > 1) throw fault('OperationNotPermitted', {});
  if (conductorGroups !== undefined && countGiven(node, portgroup, address) > 0) {
    throw fault('Invalid', {
      reason: 'conductor_groups cannot be combined with node, portgroup or address.',
    });
  }
  return {
    equal: {
      node_uuid: node === undefined ? undefined : findNodeByParameter(services, node, minor).uuid,
      portgroup_uuid: portgroup === undefined ? undefined : findPortgroup(services, portgroup).uuid,
      address,
    },
    shards,
    conductorGroups,
    descriptionContains: query.description_contains,
  };
}

const countGiven = (...values: readonly unknown[]): number =>
  values.filter((value) => value !== undefined).length;

export const portRoutes: readonly Route[] = [
  ...resourceRoutes(ports),
  ...sublistRoutes(ports, { path: '/v1/nodes/:node/ports', since: 1 }, (request, names, paging) => {
    const { uuid } = nodeOf(request);
    return request.services.db.ports.list(names, equalConditions<Port>({ node_uuid: uuid }), paging);
  }),
  ...sublistRoutes(
    ports,
    { path: '/v1/portgroups/:portgroup/ports', since: 24 },
    (request, names, paging) => {
      const { uuid } = request.named('portgroup', findPortgroup);
      return request.services.db.ports.list(names, equalConditions<Port>({ portgroup_uuid: uuid }), paging);
    },
  ),
];
