// What the table of provision states says of a node, for those who must not compare names of states.
import type { Node } from '../records/node.ts';
import { isFailure, permissionIn, type ProvisionState, provisionStates } from './provision-states.ts';
import type { Work } from './state-permissions.ts';

export interface StateFacts {
  /** The work that runs, waits or is on hold; null if there is none. A rescue goes on until the node leaves it. */
  readonly work: Work | null;
  /** The work that has failed; null if there is none. */
  readonly failed: Work | null;
  /** Whether an instance runs on the machine. */
  readonly inUse: boolean;
}

/** Returns what the node's provision state means. */
export function stateFacts({ provision_state: state }: Pick<Node, 'provision_state'>): StateFacts {
  const work = permissionIn(state, 'steps') ?? permissionIn(state, 'work') ?? null;
  const inUse = permissionIn(state, 'inUse') === true;
  return isFailure(state) ? { work: null, failed: work, inUse } : { work, failed: null, inUse };
}

/** Returns the states in which the work runs, waits or is on hold. */
export const statesOfWork = (wanted: Work): readonly ProvisionState[] =>
  provisionStates.filter((state) => stateFacts({ provision_state: state }).work === wanted);
