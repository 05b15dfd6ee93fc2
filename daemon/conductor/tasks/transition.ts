// Moves a node through the state machine. No other code changes the provision_state of a stored node.
import { fault } from '../../model/faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import {
  defaultTarget,
  isFailure,
  isStable,
  next,
  permissionIn,
  type ProvisionEvent,
  type ProvisionState,
} from '../../model/states/provision-states.ts';
import { now, type Services } from '../services.ts';

export interface TransitionOptions {
  /** Work follows in the background: the target stays set until it ends, and the old error is cleared. */
  readonly startsWork?: true;
  /** Overrides the new state's default target. */
  readonly target?: ProvisionState;
  readonly error?: string;
  /** Stored together with the new state. */
  readonly changes?: NodeChanges;
}

/** Returns the stored node after `event`. Throws InvalidState if its state does not take the event or has changed. */
export function transition(
  services: Services,
  node: Node,
  event: ProvisionEvent,
  options: TransitionOptions = {},
): Node {
  const from = node.provision_state;
  const to = next(from, event);
  const changes: NodeChanges =
    to === undefined ? {} : { ...options.changes, ...changesOf(services, node, to, options) };
  if (to === undefined)
    throw fault('InvalidState', {
      reason: `Node ${node.uuid} cannot take event ${event} in state "${from}".`,
    });
  if (!services.db.nodes.move(node.uuid, { from, event }, changes))
    throw fault('InvalidState', {
      reason: `Node ${node.uuid} is no longer in state "${from}", so event ${event} was not applied.`,
    });
  const moved: Node = { ...node, ...changes };
  services.db.afterCommit(() => announce(services, node, moved, { event, error: options.error }));
  return moved;
}

function announce(
  services: Services,
  before: Node,
  moved: Node,
  { event, error }: { readonly event: ProvisionEvent; readonly error: string | undefined },
): void {
  const { provision_state: from } = before;
  const { uuid: node, provision_state: to, target_provision_state: target } = moved;
  const level = isFailure(to) || error !== undefined ? 'error' : 'info';
  services.log[level]({ node, event, from, to, target, ...(error && { error }) }, 'provision state changed');
  for (const notify of services.transitions) notify(moved, before);
}

function changesOf(
  services: Services,
  node: Node,
  to: ProvisionState,
  options: TransitionOptions,
): NodeChanges {
  const time = now(services);
  const target =
    options.startsWork === true || !isStable(to) ? (options.target ?? targetAfter(node, to)) : null;
  return {
    provision_state: to,
    target_provision_state: target,
    provision_updated_at: time,
    updated_at: time,
    ...(options.startsWork === true && { last_error: null }),
    ...(options.error !== undefined && { last_error: options.error }),
    ...inspectionTimes(node.provision_state, to, time),
  };
}

// between two states of one phase, such as cleaning, the target stays: manual cleaning has the target manageable, which
// the default target would replace
function targetAfter(node: Node, to: ProvisionState): ProvisionState | null {
  const phase = permissionIn(to, 'steps');
  const goesOn = phase !== undefined && phase === permissionIn(node.provision_state, 'steps');
  return (goesOn ? node.target_provision_state : null) ?? defaultTarget(to);
}

function inspectionTimes(from: ProvisionState, to: ProvisionState, time: string): NodeChanges {
  if (to === 'inspecting') return { inspection_started_at: time, inspection_finished_at: null };
  if (to === 'inspect failed') return { inspection_started_at: null };
  const inspected = from === 'inspecting' || from === 'inspect wait';
  return inspected && to === 'manageable'
    ? { inspection_started_at: null, inspection_finished_at: time }
    : {};
}
