// Which nodes an allocation may take and in which order, or why no node is suitable. Pure.
import type { Allocation } from '../../../model/records/allocation.ts';
import type { Node } from '../../../model/records/node.ts';

type Request = Pick<Allocation, 'name' | 'resource_class' | 'candidate_nodes' | 'traits' | 'owner'>;
export type Candidate = Pick<
  Node,
  | 'uuid'
  | 'name'
  | 'resource_class'
  | 'traits'
  | 'owner'
  | 'lessee'
  | 'instance_uuid'
  | 'maintenance'
  | 'power_state'
  | 'target_power_state'
>;

interface Requirement {
  /** Returns the requirement as the end of a sentence about a node: `is owned or leased by me`. */
  readonly what: (request: Request) => string;
  /** Returns the reason when none of the `count` remaining nodes meets the requirement. */
  readonly none?: (request: Request, count: number) => string;
  readonly met: (node: Candidate, request: Request) => boolean;
}

/** Requirements that the request states. */
const wanted: readonly Requirement[] = [
  {
    what: ({ resource_class }) => `has resource class ${resource_class}`,
    // clients look for this wording
    none: ({ resource_class }, count) =>
      `no available nodes match the resource class ${resource_class} (nodes available: ${count})`,
    met: (node, { resource_class }) => resource_class === null || node.resource_class === resource_class,
  },
  {
    what: ({ candidate_nodes }) => `is among the candidates ${candidate_nodes.join(', ')}`,
    met: ({ uuid }, { candidate_nodes }) => candidate_nodes.length === 0 || candidate_nodes.includes(uuid),
  },
  {
    what: ({ owner }) => `is owned or leased by ${owner}`,
    met: (node, { owner }) => owner === null || node.owner === owner || node.lessee === owner,
  },
  {
    what: ({ traits }) => `has all of the traits ${traits.join(', ')}`,
    met: (node, { traits }) => traits.every((trait) => node.traits.includes(trait)),
  },
];

const free: readonly Requirement[] = [
  { what: () => 'is without an instance', met: ({ instance_uuid }) => instance_uuid === null },
  { what: () => 'is out of maintenance', met: ({ maintenance }) => !maintenance },
  {
    what: () => 'has a known power state (power synchronisation or a power action sets it)',
    // a node with a running power action is locked, and its power state is known afterwards
    met: ({ power_state, target_power_state }) => power_state !== null || target_power_state !== null,
  },
];

/** Returns a sentence for each requirement of the request that the node does not meet. */
export const mismatches = (node: Candidate, request: Request): readonly string[] =>
  wanted
    .filter(({ met }) => !met(node, request))
    .map(({ what }) => `node ${node.uuid} does not match: expected one that ${what(request)}`);

export type Candidates<N> =
  | { readonly kind: 'found'; readonly nodes: readonly N[] }
  | { readonly kind: 'none'; readonly reason: string };

/** Returns the suitable `available` nodes: first the one with the allocation's name, then the others shuffled. */
export function candidatesFor<N extends Candidate>(
  request: Request,
  available: readonly N[],
  random: () => number,
): Candidates<N> {
  let nodes = available;
  for (const { what, met, none = noneThat(what) } of [...wanted, ...free]) {
    const left = nodes.filter((node) => met(node, request));
    if (left.length === 0) return { kind: 'none', reason: none(request, nodes.length) };
    nodes = left;
  }
  const isNamesake = ({ name }: N) => name !== null && name === request.name;
  const others = shuffled(
    nodes.filter((node) => !isNamesake(node)),
    random,
  );
  return { kind: 'found', nodes: [...nodes.filter(isNamesake), ...others] };
}

const noneThat =
  (what: Requirement['what']) =>
  (request: Request, count: number): string =>
    `of the ${count} available nodes that match so far, none ${what(request)}`;

// so that concurrent allocations do not all try the same node first
function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
