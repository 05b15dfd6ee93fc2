// /v1/nodes/{node}/history, /inventory and /hardware: what happened to a node, and what inspection found in its machine.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { shownHardware } from '../../conductor/inspection/hardware.ts';
import { storedInventory } from '../../conductor/inspection/stored-inventory.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { fault } from '../../model/faults.ts';
import { schema } from '../../model/records/fields.ts';
import { historyFields, historySummary, type NodeHistory } from '../../model/records/node-history.ts';
import { nextLink, pagingOf, pagingParameters } from '../../http/paging.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { fieldSchemas, linkedSchema, pageSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { shownRecord } from '../../http/record-view.ts';

const historyParameters = { ...pagingParameters, detail: { kind: 'flag' } } as const;
const { node_uuid: _, ...shownFields } = historyFields;
const historyView = { fields: shownFields, shown: { project: () => null } };
const historySchema = linkedSchema('NodeHistory', fieldSchemas(shownFields));
const hardwareSchema = wholeSchema({
  source: textSchema,
  inspected_at: textSchema,
  compared_with: schema.textOrNull(),
  hardware: { type: 'object' },
  compared: schema.texts(),
  not_compared: schema.texts(),
  changes: schema.texts(),
  class: schema.textOrNull(),
  class_differences: schema.texts(),
  class_unchecked: schema.texts(),
});
const HISTORY = '/v1/nodes/:node/history';

export const nodeRecordRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: HISTORY,
    since: 78,
    query: historyParameters,
    answers: { 200: pageSchema('history', historySchema) },
    handler: (request) => listHistory(request, request.query.detail === true),
  }),
  // the command-line client reads the detailed list from this path
  route({
    method: 'GET',
    path: `${HISTORY}/detail`,
    since: 78,
    query: pagingParameters,
    answers: { 200: pageSchema('history', historySchema) },
    handler: (request) => listHistory(request, true),
  }),
  route({
    method: 'GET',
    path: `${HISTORY}/:record`,
    since: 78,
    answers: { 200: historySchema },
    handler: showHistory,
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/inventory',
    since: 81,
    answers: { 200: wholeSchema({ inventory: { type: 'object' }, plugin_data: { type: 'object' } }) },
    handler: showInventory,
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/hardware',
    since: 1,
    answers: { 200: hardwareSchema },
    handler: (request) => ({ status: 200, body: shownHardware(request.services, nodeOf(request)) }),
  }),
];

function listHistory(request: ApiRequest<typeof pagingParameters>, detail: boolean): Reply {
  const node = nodeOf(request);
  const find = (marker: string) => recordOrFault(request, node.uuid, marker);
  const paging = pagingOf(request, historyFields, find);
  const { history: table } = request.services.db;
  const records = table.list(table.columns, equalConditions<NodeHistory>({ node_uuid: node.uuid }), paging);
  const history = records.map((record) => (detail ? whole : summary)(record, request));
  return { status: 200, body: { history, ...nextLink(request, paging, records) } };
}

function showHistory(request: ApiRequest): Reply {
  const record = recordOrFault(request, nodeOf(request).uuid, request.parameters['record'] ?? '');
  return { status: 200, body: whole(record, request) };
}

function recordOrFault({ services }: ApiRequest, nodeUuid: string, uuid: string): NodeHistory {
  const record = services.db.history.get(uuid);
  if (record?.node_uuid !== nodeUuid) throw fault('NodeHistoryNotFound', { record: uuid });
  return record;
}

const SUMMARY_LENGTH = 251;

function summary(record: NodeHistory, request: ApiRequest): object {
  const { event } = record;
  const short = event.length > SUMMARY_LENGTH ? `${event.slice(0, SUMMARY_LENGTH)}...` : event;
  return linked({ ...record, event: short }, request, historySummary);
}

const whole = (record: NodeHistory, request: ApiRequest): object => linked(record, request, undefined);

function linked(record: NodeHistory, request: ApiRequest, names: readonly string[] | undefined): object {
  const href = `${request.baseUrl}/v1/nodes/${record.node_uuid}/history/${record.uuid}`;
  return { ...shownRecord(historyView, record, request, names), links: [{ href, rel: 'self' }] };
}

function showInventory(request: ApiRequest): Reply {
  const { inventory, plugin_data } = storedInventory(request.services, nodeOf(request).uuid);
  return { status: 200, json: `{"inventory":${inventory},"plugin_data":${plugin_data}}` };
}
