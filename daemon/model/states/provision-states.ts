// Answers what a provision state permits and where an event leads, from the one table of states. Other code compares no names of
// states.
import type { ProvisionEvent } from './provision-events.ts';
import type { Permissions, StateClass, Work } from './state-permissions.ts';
import { type StateRow, states } from './state-table.ts';

export type ProvisionState = keyof typeof states;

const row = (state: ProvisionState): StateRow<ProvisionState> => states[state];

export const provisionStates = Object.keys(states) as readonly ProvisionState[];

export const isProvisionState = (text: string): text is ProvisionState => Object.hasOwn(states, text);

/** Returns the next state after `event` in `state`; undefined if the event is not possible in it. */
export const next = (state: ProvisionState, event: ProvisionEvent): ProvisionState | undefined =>
  row(state).events[event];

export const eventsOf = (state: ProvisionState): readonly ProvisionEvent[] =>
  Object.keys(row(state).events) as ProvisionEvent[];

export const classOf = (state: ProvisionState): StateClass => row(state).class;

export const isStable = (state: ProvisionState): boolean => classOf(state) === 'stable';

/** Whether work is running or awaited in the state. Requests to change the boot mode or secure boot are refused then. */
export const isUnstable = (state: ProvisionState): boolean => ['transient', 'wait'].includes(classOf(state));

/** Whether the state means that a flow has failed: true for the `... failed` states and `error`. */
export const isFailure = (state: ProvisionState): boolean => classOf(state) === 'failed' || state === 'error';

/** Whether no work runs, waits or is on hold in the state. */
export const isAtRest = (state: ProvisionState): boolean => isStable(state) || isFailure(state);

/** A node's record, as far as it tells the provision state. */
interface InState {
  readonly provision_state: ProvisionState;
}

/** Whether a node's record shows work as running. Must be false whenever no task holds the node's lock. */
export const isHalfDone = (node: InState & { readonly target_power_state: string | null }): boolean =>
  node.target_power_state !== null || classOf(node.provision_state) === 'transient';

/** Returns the target provision state on entry; null for stable states. */
export const defaultTarget = (state: ProvisionState): ProvisionState | null => row(state).target ?? null;

/** Returns the state of a node after a restart of the daemon: work that was running cannot be resumed, and fails. */
export function afterRestart(state: ProvisionState): ProvisionState {
  return classOf(state) === 'transient' ? (next(state, 'fail') ?? state) : state;
}

export function permissionIn<A extends keyof Permissions>(state: ProvisionState, action: A): Permissions[A] {
  return row(state)[action];
}

export const statesThat = (action: keyof Permissions): readonly ProvisionState[] =>
  provisionStates.filter((state) => permissionIn(state, action) !== undefined);

export const statesOfClass = (wanted: StateClass): readonly ProvisionState[] =>
  provisionStates.filter((state) => classOf(state) === wanted);

/** What the table says of a node, for those who must not compare names of states. */
export interface StateFacts {
  /** The work that runs, waits or is on hold; null if there is none. A rescue goes on until the node leaves it. */
  readonly work: Work | null;
  /** The work that has failed; null if there is none. */
  readonly failed: Work | null;
  /** Whether an instance runs on the machine. */
  readonly inUse: boolean;
}

/** Returns what the node's provision state means. */
export function stateFacts({ provision_state: state }: InState): StateFacts {
  const work = permissionIn(state, 'steps') ?? permissionIn(state, 'work') ?? null;
  const inUse = permissionIn(state, 'inUse') === true;
  return isFailure(state) ? { work: null, failed: work, inUse } : { work, failed: null, inUse };
}

/** Returns the states in which the work runs, waits or is on hold. */
export const statesOfWork = (wanted: Work): readonly ProvisionState[] =>
  provisionStates.filter((state) => stateFacts({ provision_state: state }).work === wanted);
