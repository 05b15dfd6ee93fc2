// Moves a node through the state machine. No other code changes the provision_state of a stored node.
import { fault } from '../../model/faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import type { Awaited } from '../../model/states/node-wait.ts';
import type { ProvisionEvent } from '../../model/states/provision-events.ts';
import {
  classOf,
  defaultTarget,
  isFailure,
  isStable,
  next,
  permissionIn,
  type ProvisionState,
} from '../../model/states/provision-states.ts';
import { now } from '../../lib/clock.ts';
import type { TaskServices } from './services.ts';

export interface TransitionOptions {
  /** Work follows in the background: the target stays set until it ends, and the old error is cleared. */
  readonly startsWork?: true;
  /** Overrides the new state's default target. */
  readonly target?: ProvisionState;
  readonly error?: string;
  /** What the node waits for in its new state; not set for a state in which it does not wait. */
  readonly awaited?: Awaited;
  /** Stored together with the new state. */
  readonly changes?: NodeChanges;
}

/** Returns the stored node after `event`. Throws InvalidState if its state does not take the event or has changed. */
export function transition(
  services: TaskServices,
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
  const moved: Node = { ...node, ...changes };
  services.db.transaction(() => {
    if (!services.db.nodes.move(node.uuid, { from, event }, changes))
      throw fault('InvalidState', {
        reason: `Node ${node.uuid} is no longer in state "${from}", so event ${event} was not applied.`,
      });
    for (const store of services.transitions.storing) store(moved);
    services.db.afterCommit(() => announce(services, node, moved, { event, error: options.error }));
  });
  return moved;
}

function announce(
  services: TaskServices,
  before: Node,
  moved: Node,
  { event, error }: { readonly event: ProvisionEvent; readonly error: string | undefined },
): void {
  const { provision_state: from } = before;
  const { uuid: node, provision_state: to, target_provision_state: target } = moved;
  const level = isFailure(to) || error !== undefined ? 'error' : 'info';
  services.log[level]({ node, event, from, to, target, ...(error && { error }) }, 'provision state changed');
  recordWait(services, moved);
  const { stored, waiting } = services.transitions;
  for (const notify of stored) notify(moved, before);
  if (classOf(from) === 'wait' || classOf(to) === 'wait') for (const notify of waiting) notify(moved);
}

/** Records in the node's timeline what the node waits for, if it waits. */
export function recordWait(
  { timeline }: TaskServices,
  { uuid: node, wait, provision_state: state }: Node,
): void {
  if ('reason' in wait) timeline.record({ hop: 'wait', node, text: `for ${wait.reason} (${state})` });
}

function changesOf(
  services: TaskServices,
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
    wait: options.awaited === undefined ? {} : { ...options.awaited, since: time },
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
