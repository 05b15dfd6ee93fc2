// /v1/volume, /v1/volume/connectors, /v1/volume/targets, and the same below /v1/nodes/{node}.
import {
  createVolume,
  deleteVolume,
  updateVolume,
  volumeConnectors,
  type VolumeKind,
  type VolumeRecord,
  volumeTargets,
} from '../../conductor/records/volume-records.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { maskSecrets } from '../../model/secrets.ts';
import {
  volumeConnectorSummary,
  type VolumeTarget,
  volumeTargetSummary,
} from '../../model/records/volume.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { findNode, nodeOf } from '../../conductor/records/find-record.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { type Resource, resourceRoutes, sublistRoutes } from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { linkPair, linksSchema, wholeSchema } from '../../http/schema-parts.ts';

const SINCE = 32;
const filters = { node: { kind: 'text' } } as const satisfies Parameters;

type Volumes<R extends VolumeRecord> = Resource<R, typeof filters>;

function volumeResource<R extends VolumeRecord>(
  kind: VolumeKind<R>,
  own: Pick<Volumes<R>, 'title' | 'key' | 'summary' | 'shown'>,
): Volumes<R> {
  const bodies = createBodies<R>({
    resource: kind.resource,
    fields: kind.fields,
    required: kind.required,
    unremovable: kind.required.filter((name) => name !== 'node_uuid'),
    fixed: ['node_uuid'],
    normalise: (given) => ({
      ...given,
      ...(given.uuid !== undefined && { uuid: parseUuidOrThrow(given.uuid) }),
      ...(given.node_uuid !== undefined && { node_uuid: parseUuidOrThrow(given.node_uuid) }),
    }),
  });
  return {
    ...own,
    path: `volume/${own.key}`,
    since: SINCE,
    argument: `${kind.resource.replace('volume ', '')}_uuid`,
    detailByArgument: true,
    fields: kind.fields,
    filters,
    list({ services, query, minor }, names, paging) {
      const node_uuid = query.node === undefined ? undefined : findNode(services, query.node, minor).uuid;
      return kind.table(services).list(names, equalConditions<VolumeRecord>({ node_uuid }), paging);
    },
    find({ services }, identifier) {
      const record = kind.table(services).get(parseUuidOrThrow(identifier));
      if (record === undefined) throw kind.notFound(identifier);
      return record;
    },
    create: ({ services, body, minor }) => createVolume(services, kind, bodies.fromPost(body, minor) as R),
    bodies,
    change: (request, record, changesOf) => updateVolume(request, kind, record, changesOf),
    remove: (request, record) => deleteVolume(request, kind, record),
  };
}

const connectors = volumeResource(volumeConnectors, {
  title: 'VolumeConnector',
  key: 'connectors',
  summary: volumeConnectorSummary,
});
const targets = volumeResource(volumeTargets, {
  title: 'VolumeTarget',
  key: 'targets',
  summary: volumeTargetSummary,
  shown: { properties: ({ properties }: VolumeTarget) => maskSecrets(properties) },
});

function ofNode<R extends VolumeRecord>(resource: Volumes<R>, kind: VolumeKind<R>): readonly Route[] {
  return sublistRoutes(
    resource,
    { path: `/v1/nodes/:node/${resource.path}`, since: SINCE },
    (request, names, paging) => {
      const { uuid } = nodeOf(request);
      return kind
        .table(request.services)
        .list(names, equalConditions<VolumeRecord>({ node_uuid: uuid }), paging);
    },
  );
}

const volumeLinksSchema = wholeSchema({ links: linksSchema, connectors: linksSchema, targets: linksSchema });

export const volumeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/volume',
    since: SINCE,
    answers: { 200: volumeLinksSchema },
    handler: (request) => links(request, 'volume'),
  }),
  ...resourceRoutes(connectors),
  ...resourceRoutes(targets),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/volume',
    since: SINCE,
    answers: { 200: volumeLinksSchema },
    handler: (request) => links(request, `nodes/${nodeOf(request).uuid}/volume`),
  }),
  ...ofNode(connectors, volumeConnectors),
  ...ofNode(targets, volumeTargets),
];

function links({ baseUrl }: ApiRequest, path: string): Reply {
  return {
    status: 200,
    body: {
      links: linkPair(baseUrl, `${path}/`),
      connectors: linkPair(baseUrl, `${path}/connectors`),
      targets: linkPair(baseUrl, `${path}/targets`),
    },
  };
}
