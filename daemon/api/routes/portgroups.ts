// /v1/portgroups and /v1/nodes/{node}/portgroups.
import {
  createPortgroup,
  deletePortgroup,
  updatePortgroup,
} from '../../conductor/records/ports/portgroup-records.ts';
import type { Condition } from '../../db/tables/paging.ts';
import { equalConditions, nodeCondition } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import { type Portgroup, portgroupFields, portgroupSummary } from '../../model/records/portgroup.ts';
import { findNode, nodeOf } from '../../conductor/records/find-record.ts';
import { portgroupBodies } from '../bodies/portgroup-bodies.ts';
import { findPortgroup } from '../resource-identifiers.ts';
import { type Resource, resourceRoutes, sublistRoutes } from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import type { ApiRequest, Route } from '../../http/route.ts';
import { linkPair, linksSchema } from '../../http/schema-parts.ts';

const filters = {
  node: { kind: 'text' },
  address: { kind: 'mac' },
  shard: { kind: 'names', since: 106 },
  conductor_groups: { kind: 'list' },
} as const satisfies Parameters;

const LOCKED_WHILE_INSPECTING_SINCE = 39;

const portgroups: Resource<Portgroup, typeof filters> = {
  title: 'Portgroup',
  path: 'portgroups',
  argument: 'portgroup_ident',
  key: 'portgroups',
  since: 23,
  fields: portgroupFields,
  namedIn: ({ db }) => db.portgroups,
  summary: portgroupSummary,
  filters,
  list: (request, names, paging) => request.services.db.portgroups.list(names, conditionsOf(request), paging),
  find: ({ services }, identifier) => findPortgroup(services, identifier),
  extras: {
    ports: {
      schema: linksSchema,
      show: ({ uuid }, { baseUrl }) => linkPair(baseUrl, `portgroups/${uuid}/ports`),
    },
  },
  create: ({ services, body, minor }) =>
    createPortgroup(services, portgroupBodies.fromPost(body, minor) as Portgroup),
  bodies: portgroupBodies,
  change: (request, record, change) =>
    updatePortgroup(request, record, {
      change,
      refuseFrozen: request.minor >= LOCKED_WHILE_INSPECTING_SINCE,
    }),
  remove: deletePortgroup,
};

function conditionsOf({ services, query, minor }: ApiRequest<typeof filters>): Condition[] {
  const { node, address, shard, conductor_groups: groups } = query;
  if ([node, address, shard, groups].filter((filter) => filter !== undefined).length > 1) {
    throw fault('Invalid', {
      reason: 'Portgroups can be filtered by one of node, address, shard and conductor_groups at a time.',
    });
  }
  const node_uuid = node === undefined ? undefined : findNode(services, node, minor).uuid;
  return [
    ...equalConditions({ node_uuid, address }),
    ...(shard === undefined ? [] : [nodeCondition('shard', shard)]),
    ...(groups === undefined ? [] : [nodeCondition('conductor_group', groups)]),
  ];
}

export const portgroupRoutes: readonly Route[] = [
  ...resourceRoutes(portgroups),
  ...sublistRoutes(
    portgroups,
    { path: '/v1/nodes/:node/portgroups', since: 24 },
    (request, names, paging) => {
      const { uuid } = nodeOf(request);
      return request.services.db.portgroups.list(
        names,
        equalConditions<Portgroup>({ node_uuid: uuid }),
        paging,
      );
    },
  ),
];
