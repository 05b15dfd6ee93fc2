// /v1/allocations and /v1/nodes/{node}/allocation.
import {
  allocationKind,
  backfillAllocation,
  createAllocation,
  deleteAllocation,
} from '../../conductor/records/allocations/allocation-records.ts';
import { changeSimpleRecord } from '../../conductor/records/simple-records.ts';
import { equalConditions } from '../../db/tables/table.ts';
import { type Allocation, allocationFields } from '../../model/records/allocation.ts';
import { Fault, fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { allocationBodies, allocationPostSchema, withoutNode } from '../bodies/allocation-bodies.ts';
import { findByUuidOrName, findNode, nodeOf } from '../../conductor/records/find-record.ts';
import {
  recordSchema,
  type Resource,
  resourceRoutes,
  shapeParameters,
  showReply,
} from '../../http/resource.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';

const filters = {
  node: { kind: 'text' },
  resource_class: { kind: 'text' },
  state: { kind: 'text' },
  owner: { kind: 'text', since: 60 },
} as const satisfies Parameters;

const allocations: Resource<Allocation, typeof filters> = {
  title: 'Allocation',
  path: 'allocations',
  argument: 'allocation_ident',
  key: 'allocations',
  since: 52,
  below: 405,
  changeSince: 57,
  fields: allocationFields,
  namedIn: ({ db }) => db.allocations,
  summary: 'whole',
  filters,
  list({ services, query, minor }, names, paging) {
    const { node, resource_class, state, owner } = query;
    const node_uuid = node === undefined ? undefined : nodeNamed({ services, minor }, 'node', node).uuid;
    const conditions = equalConditions<Allocation>({ node_uuid, resource_class, state, owner });
    return services.db.allocations.list(names, conditions, paging);
  },
  find({ services }, identifier) {
    const found = findByUuidOrName(services.db.allocations, identifier);
    if (found === undefined) throw fault('AllocationNotFound', { allocation: identifier });
    return found;
  },
  create,
  bodies: { ...allocationBodies, postSchema: allocationPostSchema },
  change: ({ services }, record, changesOf) =>
    changeSimpleRecord(services, allocationKind, record, changesOf(record)),
  remove: deleteAllocation,
};

/** Returns the node that the query or the body names. Throws InvalidParameter if there is no such node. */
function nodeNamed(
  { services, minor }: Pick<ApiRequest, 'services' | 'minor'>,
  parameter: string,
  identifier: string,
): Node {
  try {
    return findNode(services, identifier, minor);
  } catch (error) {
    if (error instanceof Fault) throw fault('InvalidParameter', { name: parameter, reason: error.message });
    throw error;
  }
}

/** Returns the nodes' UUIDs. Throws InvalidParameter with all identifiers of unknown nodes. */
function candidateNodes({ services, minor }: ApiRequest, identifiers: readonly string[]): readonly string[] {
  const missing: string[] = [];
  const found = [...new Set(identifiers)].flatMap((identifier) => {
    try {
      return findNode(services, identifier, minor).uuid;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      missing.push(identifier);
      return [];
    }
  });
  if (missing.length === 0) return found;
  const reason = `Nodes cannot be found: ${missing.join(', ')}`;
  throw fault('InvalidParameter', { name: 'candidate_nodes', reason });
}

function create(request: ApiRequest): Allocation | Promise<Allocation> {
  const { services, minor } = request;
  const { fields, node } = withoutNode(request.body, minor);
  const given = allocationBodies.fromPost(fields, minor);
  const candidates = given.candidate_nodes && candidateNodes(request, given.candidate_nodes);
  const wanted = { ...given, ...(candidates !== undefined && { candidate_nodes: candidates }) };
  if (node !== undefined) return backfillAllocation(request, wanted, nodeNamed(request, 'node', node));
  if (!wanted.resource_class) throw fault('MissingParameter', { name: 'resource_class' });
  return createAllocation(services, wanted);
}

const OF_NODE = '/v1/nodes/:node/allocation';

function allocationOfNode(request: ApiRequest): Allocation {
  const node = nodeOf(request);
  const found =
    node.allocation_uuid === null ? undefined : request.services.db.allocations.get(node.allocation_uuid);
  if (found === undefined) throw fault('NodeAllocationNotFound', { node: node.uuid });
  return found;
}

async function removeFromNode(request: ApiRequest): Promise<Reply> {
  await deleteAllocation(request, allocationOfNode(request));
  return { status: 204 };
}

export const allocationRoutes: readonly Route[] = [
  ...resourceRoutes(allocations),
  route({
    method: 'GET',
    path: OF_NODE,
    since: 52,
    query: { fields: shapeParameters.fields },
    answers: { 200: recordSchema(allocations) },
    handler: (request) => showReply(allocations, request, allocationOfNode(request)),
  }),
  route({ method: 'DELETE', path: OF_NODE, since: 52, answers: { 204: null }, handler: removeFromNode }),
];
