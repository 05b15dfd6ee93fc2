// /v1/nodes: creates, lists, shows, changes, deletes and validates nodes. /v1/chassis/{chassis}/nodes: lists those of a chassis.
import { createNode, deleteNode, updateNode } from '../../conductor/records/node-records.ts';
import { validateNode } from '../../conductor/flows/validate-node.ts';
import type { Json } from '../../model/json.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { nodeConditions } from '../../db/tables/nodes.ts';
import type { Condition } from '../../db/tables/paging.ts';
import { fault } from '../../model/faults.ts';
import { type InterfaceField, interfaceFields } from '../../model/machine/interface-types.ts';
import { type Node, nodeFields, nodeSummary } from '../../model/records/node.ts';
import { nodeFaults } from '../../model/states/node-faults.ts';
import { provisionStates } from '../../model/states/provision-states.ts';
import { malformedRoutes } from '../../http/malformed-routes.ts';
import { rootOf } from '../../http/bodies/json-patch.ts';
import { nodeBodies } from '../bodies/node-bodies.ts';
import { findNode, findNodeByParameter, nodeOf } from '../../conductor/records/find-record.ts';
import { nextLink, pagingOf, pagingParameters } from '../../http/paging.ts';
import { shapeParameters } from '../../http/resource.ts';
import { findChassis } from '../resource-identifiers.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, byArgument, type Reply, type Route, route } from '../../http/route.ts';
import { flagSchema, mapSchema, objectSchema, pageSchema, textSchema } from '../../http/schema-parts.ts';
import { nodeSchema, nodeText, nodeWriter } from '../views/node-view.ts';
import { checkedFields, refuseFieldsWithDetail } from '../../http/record-view.ts';

type TextSince = { readonly kind: 'text'; readonly since: number };

/** Each filter exists since the API version that introduced the node's field. */
const interfaceFilters = Object.fromEntries(
  interfaceFields.map((name) => [name, { kind: 'text', since: nodeFields[name].since }]),
) as Record<InterfaceField, TextSince>;

const filterParameters = {
  associated: { kind: 'flag' },
  maintenance: { kind: 'flag' },
  retired: { kind: 'flag' },
  sharded: { kind: 'flag', since: 82 },
  instance_uuid: { kind: 'uuid' },
  chassis_uuid: { kind: 'uuid' },
  driver: { kind: 'text', since: 16 },
  resource_class: { kind: 'text', since: 21 },
  provision_state: { kind: 'text', since: 9, values: provisionStates },
  fault: { kind: 'text', since: 42, values: nodeFaults },
  conductor_group: { kind: 'text', since: 46 },
  conductor: { kind: 'text', since: 49 },
  owner: { kind: 'text', since: 50 },
  lessee: { kind: 'text', since: 65 },
  project: { kind: 'text' },
  description_contains: { kind: 'text' },
  shard: { kind: 'names', since: 82 },
  parent_node: { kind: 'text', since: 83 },
  include_children: { kind: 'flag', since: 83 },
  instance_name: { kind: 'text', since: 104 },
  ...interfaceFilters,
  // an extension of Ironic's API; it exists in every version
  auto_discovered: { kind: 'flag' },
  ...pagingParameters,
} as const satisfies Parameters;

const listParameters = {
  ...filterParameters,
  ...shapeParameters,
} as const satisfies Parameters;

const validateParameters = {
  node: { kind: 'text' },
  node_uuid: { kind: 'uuid' },
} as const satisfies Parameters;

const INITIAL_ENROLL_SINCE = 11;
const LOCKED_WHILE_INSPECTING_SINCE = 39;

const IN_CHASSIS = '/v1/chassis/:chassis/nodes';

const pageOfNodes = { 200: pageSchema('nodes', nodeSchema) };
const validation = {
  200: mapSchema(objectSchema({ result: flagSchema, reason: textSchema }, ['result'])),
};

const listRoutes = (path: string): readonly Route[] => [
  route({ method: 'GET', path, since: 1, query: listParameters, answers: pageOfNodes, handler: list }),
  route({
    method: 'GET',
    path: `${path}/detail`,
    since: 1,
    query: filterParameters,
    answers: pageOfNodes,
    handler: (request) => listOf(request, undefined),
  }),
];

const oneNode: Pick<Route, 'path' | 'since' | 'namedIn'> = {
  path: '/v1/nodes/:node',
  since: 1,
  namedIn: ({ db }) => db.nodes,
};

const removeRoute = route({ ...oneNode, method: 'DELETE', answers: { 204: null }, handler: remove });

export const nodeRoutes: readonly Route[] = [
  ...listRoutes('/v1/nodes'),
  ...listRoutes(IN_CHASSIS),
  ...malformedRoutes({ path: IN_CHASSIS, since: 1 }, 'nodes'),
  route({
    method: 'POST',
    path: '/v1/nodes',
    since: 1,
    body: { json: nodeBodies.postSchema },
    answers: { 201: nodeSchema },
    handler: create,
  }),
  route({
    method: 'GET',
    path: '/v1/nodes/validate',
    since: 1,
    query: validateParameters,
    answers: validation,
    handler: validateNamed,
  }),
  route({
    ...oneNode,
    method: 'GET',
    query: { fields: shapeParameters.fields },
    answers: { 200: nodeSchema },
    handler: show,
  }),
  route({
    ...oneNode,
    method: 'PATCH',
    body: { json: nodeBodies.patchSchema },
    answers: { 200: nodeSchema },
    query: { reset_interfaces: { kind: 'flag', since: 45 } },
    handler: patch,
  }),
  removeRoute,
  byArgument(removeRoute, 'node_ident'),
  route({
    method: 'GET',
    path: '/v1/nodes/:node/validate',
    since: 1,
    answers: validation,
    handler: (request) => validate(request, nodeOf(request)),
  }),
];

function list(request: ApiRequest<typeof listParameters>): Reply {
  const { fields, detail } = request.query;
  refuseFieldsWithDetail(request.query);
  if (detail === true) return listOf(request, undefined);
  const summary = nodeSummary.filter((name) => nodeFields[name].since <= request.minor);
  return listOf(request, fields === undefined ? summary : chosenFields(fields, request.minor));
}

// created_at, updated_at and links cannot be requested by name: the whole view of a node shows the first two, and every view
// shows the links
function chosenFields(wanted: readonly string[], minor: number): readonly string[] {
  const field = wanted.find((name) => ['created_at', 'updated_at', 'links'].includes(name));
  if (field !== undefined) throw fault('InvalidField', { field });
  return checkedFields(nodeFields, wanted, minor);
}

// `names` undefined: whole nodes
function listOf(request: ApiRequest<typeof filterParameters>, names: readonly string[] | undefined): Reply {
  const { services, query, minor } = request;
  const { sort_key: key, ...order } = query;
  // the database does not know which nodes are locked, so this order is that of creation
  const sorting = key === undefined || key === 'reservation' ? order : query;
  const paging = pagingOf({ services, minor, query: sorting }, nodeFields, (marker) =>
    findNode(services, marker, minor),
  );
  const known = query.conductor === undefined || query.conductor === services.host;
  const writer = nodeWriter(names, request);
  const { rows, isCut } = known
    ? services.db.nodes.page(writer.columns, conditionsOf(request), paging)
    : { rows: [], isCut: false };
  const uuids = rows.map((row) => ({ uuid: writer.uuidOf(row) }));
  const { next } = query.instance_uuid === undefined ? nextLink(request, paging, uuids, isCut) : {};
  const nodes = `"nodes":[${rows.map((row) => writer.write(row)).join(',')}]`;
  return {
    status: 200,
    json: next === undefined ? `{${nodes}}` : `{${nodes},"next":${JSON.stringify(next)}}`,
  };
}

const EQUAL_FILTERS = [
  'maintenance',
  'retired',
  'instance_uuid',
  'driver',
  'resource_class',
  'provision_state',
  'fault',
  'conductor_group',
  'owner',
  'lessee',
  'instance_name',
  ...interfaceFields,
  'auto_discovered',
] as const;

function conditionsOf({ services, parameters, query }: ApiRequest<typeof filterParameters>): Condition[] {
  const { associated, sharded, project, shard: shards, description_contains: descriptionContains } = query;
  const chassis = parameters['chassis'] ?? query.chassis_uuid;
  const chassis_uuid = chassis === undefined ? undefined : findChassis(services, chassis).uuid;
  const equal = Object.fromEntries(EQUAL_FILTERS.map((name) => [name, query[name]]));
  const { parent_node: parent } = query;
  const parent_node =
    parent === undefined
      ? undefined
      : (services.db.nodes.findBy('name', parent)?.uuid ?? parent.toLowerCase());
  return nodeConditions({
    equal: { ...equal, parent_node, chassis_uuid, conductor_group: query.conductor_group?.toLowerCase() },
    associated,
    sharded,
    project,
    shards,
    descriptionContains,
    includeChildren: query.include_children === true || query.parent_node !== undefined,
  });
}

function show(request: ApiRequest<{ fields: { kind: 'list' } }>): Reply {
  const { query, minor } = request;
  const names = query.fields === undefined ? undefined : chosenFields(query.fields, minor);
  const node = nodeOf(request);
  return { status: 200, json: nodeText(node, names, request) };
}

async function create(request: ApiRequest): Promise<Reply> {
  const { services, minor, baseUrl } = request;
  const given = nodeBodies.fromPost(request.body, minor) as Node;
  const provision_state = minor < INITIAL_ENROLL_SINCE ? 'available' : 'enroll';
  const node = await services.db.together(() => createNode(services, { ...given, provision_state }));
  services.log.info(
    { node: node.uuid, name: node.name, request_id: request.caller.requestId },
    'node created',
  );
  return {
    status: 201,
    json: nodeText(node, undefined, request),
    location: `${baseUrl}/v1/nodes/${node.uuid}`,
  };
}

async function patch(request: ApiRequest<{ reset_interfaces: { kind: 'flag' } }>): Promise<Reply> {
  const { minor } = request;
  const operations = nodeBodies.operations(request.body, minor);
  const resetInterfaces = request.query.reset_interfaces === true;
  if (resetInterfaces && !operations.some(({ path }) => path === '/driver')) {
    throw fault('Invalid', { reason: 'reset_interfaces can only be used together with a change of driver.' });
  }
  const { uuid } = nodeOf(request);
  const node = await updateNode(request, uuid, {
    change: (stored) => nodeBodies.changes(stored, operations, minor),
    resetInterfaces,
    named: new Set(operations.map(({ path }) => rootOf(path))),
    refuseFrozen: minor >= LOCKED_WHILE_INSPECTING_SINCE,
  });
  return { status: 200, json: nodeText(node, undefined, request) };
}

async function remove(request: ApiRequest): Promise<Reply> {
  const { services, caller } = request;
  const { uuid } = nodeOf(request);
  await deleteNode(request, uuid);
  services.log.info({ node: uuid, request_id: caller.requestId }, 'node deleted');
  return { status: 204 };
}

function validateNamed(request: ApiRequest<typeof validateParameters>): Promise<Reply> {
  const { services, query, minor } = request;
  const identifier = query.node ?? query.node_uuid;
  if (identifier === undefined) throw fault('MissingParameter', { name: 'node' });
  return validate(request, findNodeByParameter(services, identifier, minor));
}

async function validate(request: ApiRequest, { uuid }: Node): Promise<Reply> {
  // a reason may quote what is wrong, such as a URL with a login
  return { status: 200, body: maskSecrets((await validateNode(request, uuid)) as unknown as Json) };
}
