// The wait of a node in a wait state: how long it has lasted, how long it may last, and how to fail the operation after that.
import { timestamp } from '../../lib/clock.ts';
import type { Node } from '../../model/records/node.ts';
import { classOf, permissionIn } from '../../model/states/provision-states.ts';
import { stepName } from '../../model/steps/step-lists.ts';
import { lastHopSeen } from '../timeline/last-hop.ts';
import { failInspection } from './phases/inspect.ts';
import { failRescue } from './phases/rescue.ts';
import { phaseOf } from './phases/step-phases.ts';
import { currentStep, waitLeft } from './steps/flow-record.ts';
import type { Phase } from './steps/phase.ts';
import type { FlowServices, FlowTask } from './services.ts';

export interface Wait {
  /** The longest wait; 0: no limit. */
  readonly limitSeconds: number;
  /** The time from which the limit counts, if no step has a time limit of its own; ISO 8601. */
  readonly from: string | null;
  /**
   * Milliseconds since the node last changed its state or gave a sign of life; in an inspection, since the inspection began. In a
   * `wait` step with a time limit, the wait is counted from the time when the step is due to end, if that is later, and is negative
   * before that time.
   */
  readonly waited: number;
  /** The reason to give when the wait has exceeded its limit, as a sentence. */
  readonly timedOut: string;
  /** Fails the operation for the reason `cause`, a sentence; adds to the reason what was last seen of the machine. */
  readonly fail: (task: FlowTask, cause: string) => Promise<void>;
}

/** What a record must hold to tell how its node waits. */
export const waitFields = [
  'provision_state',
  'provision_updated_at',
  'inspection_started_at',
  'maintenance',
  'driver_internal_info',
  'wait',
] as const satisfies readonly (keyof Node)[];
export type Waiting = Pick<Node, (typeof waitFields)[number]>;

/**
 * Returns when the wait ends if nothing is heard until then: a timed step ends, or the operation fails. ISO 8601; null if the wait
 * has no limit, and for nodes that do not wait. A node in maintenance waits without a limit.
 */
export function endOfWait(services: Pick<FlowServices, 'config' | 'clock'>, node: Waiting): string | null {
  const wait = waitOf(services, node);
  if (wait === undefined) return null;
  const { step_waits_until: due } = node.driver_internal_info;
  if (due !== undefined) return timestamp(due);
  const isWatched = !node.maintenance && services.config.conductor.check_provision_state_interval > 0;
  return wait.limitSeconds > 0 && isWatched && wait.from !== null
    ? timestamp(Date.parse(wait.from) + wait.limitSeconds * 1000)
    : null;
}

/** Undefined when the node does not wait for its machine. */
export function waitOf(
  { config, clock }: Pick<FlowServices, 'config' | 'clock'>,
  node: Waiting,
): Wait | undefined {
  if (classOf(node.provision_state) !== 'wait') return undefined;
  return waitIn({ conductor: config.conductor, clock }, node);
}

interface Surroundings {
  readonly conductor: FlowServices['config']['conductor'];
  readonly clock: FlowServices['clock'];
}

function waitIn(surroundings: Surroundings, node: Waiting): Wait | undefined {
  const { provision_state: state } = node;
  if (permissionIn(state, 'inspectionReport') === true) return inspectionWait(surroundings, node);
  return permissionIn(state, 'rescued') === true
    ? rescueWait(surroundings, node)
    : stepWait(surroundings, node);
}

const countedFrom = (clock: FlowServices['clock'], from: string | null) => ({
  from,
  waited: clock.age(Date.parse(from ?? '')),
});

const nothingHeard = ({ wait }: Waiting, seconds: number, work: string) =>
  `Nothing was heard for ${seconds} s ([conductor] ${work}_callback_timeout)${'reason' in wait ? `, while the node waited for ${wait.reason} since ${wait.since}` : ''}.`;

const rescueWait = (
  { conductor: { rescue_callback_timeout: limitSeconds }, clock }: Surroundings,
  node: Waiting,
): Wait => ({
  ...countedFrom(clock, node.provision_updated_at),
  limitSeconds,
  timedOut: nothingHeard(node, limitSeconds, 'rescue'),
  fail: (task, cause) => failRescue(task, `${cause} ${lastSeen(task, 'in the rescue')}`),
});

const inspectionWait = (
  { conductor: { inspect_wait_timeout: limitSeconds }, clock }: Surroundings,
  node: Waiting,
): Wait => ({
  ...countedFrom(clock, node.inspection_started_at ?? node.provision_updated_at),
  limitSeconds,
  timedOut: `Timed out after ${limitSeconds} s of waiting for ${'reason' in node.wait ? node.wait.reason : 'inspection data'} ([conductor] inspect_wait_timeout).`,
  fail: (task, cause) => failInspection(task, `${cause} ${lastSeenOfInspection(task)}`),
});

function stepWait({ conductor, clock }: Surroundings, node: Waiting): Wait | undefined {
  const phase = phaseOf(node);
  if (phase === undefined || phase.name === 'verify') return undefined;
  const limitSeconds = conductor[`${phase.name}_callback_timeout`];
  const { from, waited } = countedFrom(clock, node.provision_updated_at);
  return {
    limitSeconds,
    from,
    waited: Math.min(waited, -(waitLeft(node, clock) ?? -Infinity)),
    timedOut: nothingHeard(node, limitSeconds, phase.name),
    fail: (task, cause) => phase.fail(task, `${cause} ${lastSeen(task, placeOf(task.node, phase))}`),
  };
}

type WaitingNode = Pick<FlowTask, 'node' | 'services'>;

/** When the inspection began; in other work, when the node last changed its state or gave a sign of life. */
const begunAt = ({
  inspection_started_at: inspection,
  provision_updated_at: changed,
  provision_state,
}: Node) => (permissionIn(provision_state, 'inspectionReport') === true ? inspection : null) ?? changed ?? '';

/** Says what was last seen of the boot, so that the operator knows where to look. */
export function lastSeenOfInspection({ node, services }: WaitingNode): string {
  const hop = lastHopSeen(services, node, begunAt(node));
  if (hop !== undefined) return hop;
  const lookup = node.driver_internal_info.agent_last_lookup;
  const seen =
    lookup !== undefined
      ? `its ramdisk looked the node up at ${lookup}, so it booted but did not post inspection data: see the ramdisk's journal`
      : `since ${node.inspection_started_at ?? node.provision_updated_at} nothing was heard from a ramdisk of the machine, which is "${node.power_state}": check DHCP, network boot and that the ramdisk's ipa-inspection-callback-url reaches this service`;
  return `Last seen: ${seen}.`;
}

function placeOf(node: Node, phase: Phase): string {
  const step = currentStep(node, phase.name);
  return step === undefined ? 'before the first step' : `at step ${stepName(step)}`;
}

function lastSeen({ node, services }: WaitingNode, when: string): string {
  const hop = hasAgent(node) ? undefined : lastHopSeen(services, node, begunAt(node));
  return hop ?? `Last seen: ${lastSign(node, when)}.`;
}

const hasAgent = ({ driver_internal_info: known }: Node) => known.agent_url !== undefined;

function lastSign(node: Node, when: string): string {
  const {
    agent_url: url,
    agent_last_heartbeat: heard,
    agent_last_lookup: lookup,
  } = node.driver_internal_info;
  if (url !== undefined)
    return `${when}, its agent at ${url} sent its last heartbeat at ${heard ?? 'an unknown time'}${silenceOf(node)}: look at the machine's console and at the agent's log`;
  if (lookup !== undefined)
    return `${when}, its ramdisk looked the node up at ${lookup} and sent no heartbeat: look at the ramdisk's journal, and whether it reaches this service`;
  return `${when}, the machine was "${node.power_state}" and no ramdisk looked the node up: check DHCP, network boot and that the ramdisk's ipa-api-url reaches this service`;
}

/** Says why the agent did not answer the request that followed its last heartbeat; empty if no such failure is recorded. */
function silenceOf({ driver_internal_info: known }: Node): string {
  const { agent_last_silence: silence, agent_last_heartbeat: heard } = known;
  if (silence === undefined || heard === undefined || silence.at < heard) return '';
  return ` and did not answer the request that followed (${silence.reason})`;
}
