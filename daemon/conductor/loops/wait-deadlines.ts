// Fails nodes that have waited too long since the last sign of life from their ramdisk or BMC.
import type { Node } from '../../model/records/node.ts';
import { classOf, permits } from '../../model/states/provision-states.ts';
import { stepName } from '../../model/steps/step-lists.ts';
import { failInspection } from '../flows/phases/inspect.ts';
import { failRescue } from '../flows/phases/rescue.ts';
import { phaseOf } from '../flows/phases/step-phases.ts';
import { lastHopSeen } from '../timeline/last-hop.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { Services } from '../services.ts';
import { currentStep, waitLeft } from '../flows/steps/flow-record.ts';
import type { Phase } from '../flows/steps/phase.ts';
import type { NodeTask } from '../tasks/task.ts';
import { followWaitingNodes } from './follow-waiting-nodes.ts';
import type { StopLoop } from './periodic.ts';

export function watchWaitDeadlines(services: Services): StopLoop {
  const retry = services.config.conductor.check_provision_state_interval * 1000;
  if (retry === 0) return () => Promise.resolve();
  const delay = (node: Node) => {
    const wait = waitOf(services, node);
    return wait && Math.max(0, wait.limitSeconds * 1000 - wait.waited);
  };
  return followWaitingNodes(services, {
    name: 'wait deadlines',
    retry,
    delay,
    async act(node) {
      if (node.maintenance) return retry;
      // a sign of life arrived in the meantime
      if ((delay(node) ?? 0) > 0) return undefined;
      const ended = await withTaskIfFree(services, node.uuid, async (task) => {
        if (task.node.maintenance || delay(task.node) !== 0) return false;
        await waitOf(services, task.node)?.fail(task);
        return true;
      });
      return ended === true ? undefined : retry;
    },
  });
}

interface Wait {
  readonly limitSeconds: number;
  /** Milliseconds since the last sign of life. */
  readonly waited: number;
  readonly fail: (task: NodeTask) => Promise<void>;
}

/** Undefined when the node does not wait, or its wait has no time limit. */
function waitOf({ config, clock }: Services, node: Node): Wait | undefined {
  if (classOf(node.provision_state) !== 'wait') return undefined;
  const wait = waitIn({ conductor: config.conductor, clock }, node);
  return wait?.limitSeconds === 0 ? undefined : wait;
}

interface Surroundings {
  readonly conductor: Services['config']['conductor'];
  readonly clock: Services['clock'];
}

function waitIn(surroundings: Surroundings, node: Node): Wait | undefined {
  const { provision_state: state } = node;
  if (permits(state, 'inspectionReport') === true) return inspectionWait(surroundings, node);
  return permits(state, 'rescued') === true ? rescueWait(surroundings, node) : stepWait(surroundings, node);
}

const ageOf = (clock: Services['clock'], time: string | null): number => clock.age(Date.parse(time ?? ''));

const rescueWait = (
  { conductor: { rescue_callback_timeout: limitSeconds }, clock }: Surroundings,
  node: Node,
): Wait => ({
  limitSeconds,
  waited: ageOf(clock, node.provision_updated_at),
  fail: (task) =>
    failRescue(
      task,
      `Nothing was heard for ${limitSeconds} s ([conductor] rescue_callback_timeout). ${lastSeen(task, 'in the rescue')}`,
    ),
});

const inspectionWait = (
  { conductor: { inspect_wait_timeout: limitSeconds }, clock }: Surroundings,
  node: Node,
): Wait => ({
  limitSeconds,
  waited: ageOf(clock, node.inspection_started_at ?? node.provision_updated_at),
  fail: (task) => failInspection(task, timeoutReason(task, limitSeconds)),
});

function stepWait({ conductor, clock }: Surroundings, node: Node): Wait | undefined {
  const phase = phaseOf(node);
  if (phase === undefined || phase.name === 'verify') return undefined;
  const option = `${phase.name}_callback_timeout` as const;
  const limitSeconds = conductor[option];
  return {
    limitSeconds,
    waited: Math.min(ageOf(clock, node.provision_updated_at), -(waitLeft(node, clock) ?? -Infinity)),
    fail: (task) =>
      phase.fail(
        task,
        `Nothing was heard for ${limitSeconds} s ([conductor] ${option}). ${lastSeen(task, placeOf(task.node, phase))}`,
      ),
  };
}

type WaitingNode = Pick<NodeTask, 'node' | 'services'>;

/** When the node's present work began, as far as the record tells. */
const begunAt = ({
  inspection_started_at: inspection,
  provision_updated_at: changed,
  provision_state,
}: Node) => (permits(provision_state, 'inspectionReport') === true ? inspection : null) ?? changed ?? '';

/** Names the last hop seen in the boot, so that the operator knows where to look. */
export function timeoutReason({ node, services }: WaitingNode, limitSeconds: number): string {
  const timedOut = `Timed out after ${limitSeconds} s of waiting for inspection data ([conductor] inspect_wait_timeout).`;
  const hop = lastHopSeen(services, node, begunAt(node));
  if (hop !== undefined) return `${timedOut} ${hop}`;
  const lookup = node.driver_internal_info.agent_last_lookup;
  const seen =
    lookup !== undefined
      ? `its ramdisk looked the node up at ${lookup}, so it booted but did not post inspection data: see the ramdisk's journal`
      : `the machine was set to "${node.power_state}" at ${node.inspection_started_at}; nothing was heard from a ramdisk since: check DHCP, network boot and that the ramdisk's ipa-inspection-callback-url reaches this service`;
  return `${timedOut} Last seen: ${seen}.`;
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
    return `${when}, its agent at ${url} sent its last heartbeat at ${JSON.stringify(heard)}${silenceOf(node)}: look at the machine's console and at the agent's log`;
  if (lookup !== undefined)
    return `${when}, its ramdisk looked the node up at ${lookup} and sent no heartbeat: look at the ramdisk's journal, and whether it reaches this service`;
  return `${when}, the machine was "${node.power_state}" and no ramdisk looked the node up: check DHCP, network boot and that the ramdisk's ipa-api-url reaches this service`;
}

/** Why the agent did not answer at its last heartbeat; empty when it did. */
function silenceOf({ driver_internal_info: known }: Node): string {
  const { agent_last_silence: silence, agent_last_heartbeat: heard } = known;
  if (silence === undefined || heard === undefined || silence.at < heard) return '';
  return ` and did not answer then (${silence.reason})`;
}
