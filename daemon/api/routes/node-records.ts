// /v1/nodes/{node}/history and /inventory: what is remembered of a node.
import { equalConditions } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import { historyFields, type NodeHistory } from '../../model/node-history.ts';
import { findNode } from '../node-identifiers.ts';
import { nextLink, pagingOf, pagingParameters } from '../paging.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';

const historyParameters = { ...pagingParameters, detail: { kind: 'flag' } } as const;
const HISTORY = '/v1/nodes/:node/history';

export const nodeRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: HISTORY,
    since: 78,
    query: historyParameters,
    handler: (request) => listHistory(request, request.query.detail === true),
  }),
  // the command line client asks here for the long list
  route({
    method: 'GET',
    path: `${HISTORY}/detail`,
    since: 78,
    query: pagingParameters,
    handler: (request) => listHistory(request, true),
  }),
  route({ method: 'GET', path: `${HISTORY}/:record`, since: 78, handler: showHistory }),
  route({ method: 'GET', path: '/v1/nodes/:node/inventory', since: 81, handler: showInventory }),
];

const nodeOf = ({ services, parameters, minor }: ApiRequest) =>
  findNode(services, parameters['node'] ?? '', minor);

function listHistory(request: ApiRequest<typeof pagingParameters>, detail: boolean): Reply {
  const node = nodeOf(request);
  const find = (marker: string) => recordOrFault(request, node.uuid, marker);
  const paging = pagingOf(request, historyFields, find);
  const { history: table } = request.services.db;
  const records = table.list(table.columns, equalConditions<NodeHistory>({ node_uuid: node.uuid }), paging);
  const history = records.map((record) =>
    detail ? fullView(record, request) : summaryView(record, request),
  );
  return { status: 200, body: { history, ...nextLink(request, paging, records) } };
}

function showHistory(request: ApiRequest): Reply {
  const record = recordOrFault(request, nodeOf(request).uuid, request.parameters['record'] ?? '');
  return { status: 200, body: fullView(record, request) };
}

function recordOrFault({ services }: ApiRequest, nodeUuid: string, uuid: string): NodeHistory {
  const record = services.db.history.get(uuid);
  if (record?.node_uuid !== nodeUuid) throw fault('NodeHistoryNotFound', { record: uuid });
  return record;
}

const SUMMARY_LENGTH = 251;

function summaryView(record: NodeHistory, { baseUrl }: ApiRequest): object {
  const { uuid, created_at, severity, event } = record;
  return {
    uuid,
    created_at,
    severity,
    event: event.length > SUMMARY_LENGTH ? `${event.slice(0, SUMMARY_LENGTH)}...` : event,
    links: [{ href: `${baseUrl}/v1/nodes/${record.node_uuid}/history/${uuid}`, rel: 'self' }],
  };
}

function fullView(record: NodeHistory, request: ApiRequest): object {
  const { event, event_type, conductor, user, state, target_provision_state, duration_seconds } = record;
  return {
    ...summaryView(record, request),
    event,
    event_type,
    conductor,
    user,
    ...(request.minor >= 113 && { project: null }),
    ...(request.minor >= 115 && { state, target_provision_state, duration_seconds }),
  };
}

function showInventory(request: ApiRequest): Reply {
  const node = nodeOf(request);
  const { db, config } = request.services;
  const stored = config.inventory.data_backend === 'database' ? db.inventory.get(node.uuid) : undefined;
  if (stored === undefined) throw fault('NodeInventoryNotFound', { node: node.uuid });
  return { status: 200, json: `{"inventory":${stored.inventory},"plugin_data":${stored.plugin_data}}` };
}
