// What a node's record says of its flow of steps: the request, the plan and the progress. A restarted daemon resumes from it.
import {
  type AgentSteps,
  changeInfo,
  type InternalInfoChanges,
  keyChange,
  keysUntil,
} from '../../../model/internal-info.ts';
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import { clearFlow, shownIn } from '../../../model/steps/clear-flow.ts';
import type { Awaited } from '../../../model/states/node-wait.ts';
import type { PlannedStep } from '../../../model/steps/planned-steps.ts';
import type { DeployStep, RequestedStep } from '../../../model/steps/step-lists.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import type { WatchedClock } from '../../../lib/watched-clock.ts';
import { now } from '../../../lib/clock.ts';
import type { FlowTask } from '../services.ts';
import { recordWait } from '../../tasks/transition.ts';

const rebootKey = {
  verify: 'verifying_reboot',
  clean: 'cleaning_reboot',
  deploy: 'deployment_reboot',
  service: 'servicing_reboot',
} as const;

/** Returns the requested steps; undefined when the flow runs the available steps. */
export const requestedSteps = ({ driver_internal_info: info }: Node, phase: 'clean' | 'service') =>
  info[`user_${phase}_steps`];

/** Returns the `deploy_steps` of the request. Each replaces the node's and the templates' steps of the same name. */
export const requestedDeploySteps = ({ driver_internal_info: info }: Node): readonly DeployStep[] =>
  info.user_deploy_steps ?? [];

/** Returns the planned steps; empty until the flow has been planned. */
export const plannedSteps = ({ driver_internal_info: info }: Node, phase: StepPhase) =>
  info[`${phase}_steps`] ?? [];

export const stepIndex = ({ driver_internal_info: info }: Node, phase: StepPhase): number =>
  info[`${phase}_step_index`] ?? 0;

/** Returns the step that is running or waiting; undefined before the first. */
export function currentStep(node: Node, phase: StepPhase): PlannedStep | undefined {
  const field = shownIn[phase];
  if (field === undefined) return plannedSteps(node, phase)[stepIndex(node, phase)];
  const shown = node[field];
  return isStep(shown) ? shown : undefined;
}

const isStep = (shown: Node['clean_step']): shown is PlannedStep => 'step' in shown;

/** Whether the current step has begun; false also while it must begin again after a reboot. */
export const hasBegun = ({ driver_internal_info: info }: Node, phase: StepPhase): boolean =>
  info[`skip_current_${phase}_step`] !== false;

export const isRebooting = ({ driver_internal_info: info }: Node, phase: StepPhase): boolean =>
  info[rebootKey[phase]] === true;

/** Whether the agent was given the current step, and no reboot that the step asked for is under way. */
export const isWithAgent = (node: Node, phase: StepPhase): boolean =>
  node.driver_internal_info.agent_runs_step === true && !isRebooting(node, phase);

export const hasPreparedRamdisk = ({ driver_internal_info: info }: Node): boolean =>
  info.ramdisk_prepared === true;

/** Returns the milliseconds until the `wait` step ends, negative if overdue; undefined when it has no time limit. */
export function waitLeft(
  { driver_internal_info: info }: Pick<Node, 'driver_internal_info'>,
  clock: Pick<WatchedClock, 'age'>,
): number | undefined {
  const { step_waits_since: since, step_waits_until: until } = info;
  if (until === undefined) return undefined;
  return since === undefined ? -clock.age(until) : until - since - clock.age(since);
}

/** Returns the steps that the running agent has listed since its ramdisk booted; undefined before that, and for verification. */
export function agentSteps({ driver_internal_info: info }: Node, phase: StepPhase): AgentSteps | undefined {
  if (phase === 'verify' || info[`agent_cached_${phase}_steps_refreshed`] === undefined) return undefined;
  return info[`agent_cached_${phase}_steps`];
}

/** Returns the node as if the last agent that listed its steps were still running, for previews of a flow. */
export function withLastAgent(node: Node, phase: StepPhase): Node {
  const { driver_internal_info: info } = node;
  if (phase === 'verify' || info[`agent_cached_${phase}_steps`] === undefined) return node;
  const refreshed = `agent_cached_${phase}_steps_refreshed` as const;
  return { ...node, ...changeInfo(node, keyChange(refreshed, info[refreshed] ?? 'by an earlier agent')) };
}

/** Stores the plan, with the step that is next, and `changes`. */
export function storePlan(
  task: FlowTask,
  phase: StepPhase,
  { steps, index }: { readonly steps: readonly PlannedStep[]; readonly index: number },
  changes: NodeChanges = {},
): void {
  task.store({
    ...changes,
    ...changeInfo(task.node, {
      ...keyChange(`${phase}_steps`, steps),
      ...keyChange(`${phase}_step_index`, index),
    }),
  });
}

/** Stores the current step; called before the step begins. */
export function storeStep(task: FlowTask, phase: StepPhase, index: number, step: PlannedStep): void {
  const field = shownIn[phase];
  task.store({
    ...changeInfo(task.node, keyChange(`${phase}_step_index`, index), keysUntil('step')),
    ...(field && { [field]: step }),
  });
}

/** The changes after which the next heartbeat starts the current step, or starts it again. */
export const laterStepChanges = (node: Node, phase: StepPhase): NodeChanges =>
  changeInfo(node, keyChange(`skip_current_${phase}_step`, false));

/** The changes for a reboot that the current step asked for. If `repeats` is true, the step starts again after the reboot. */
export const rebootChanges = (node: Node, phase: StepPhase, repeats: boolean): NodeChanges =>
  changeInfo(node, {
    [rebootKey[phase]]: true,
    ...(repeats && keyChange(`skip_current_${phase}_step`, false)),
  });

/** The changes after the reboot that the current step asked for. */
export const rebootEndChanges = (node: Node, phase: StepPhase): NodeChanges =>
  changeInfo(node, { [rebootKey[phase]]: null });

/** The changes when the agent has been given the current step. */
export const agentStepChanges = (node: Node): NodeChanges => changeInfo(node, { agent_runs_step: true });

export function storeWait(task: FlowTask, seconds: number): void {
  const since = task.services.clock.now();
  task.store(changeInfo(task.node, { step_waits_since: since, step_waits_until: since + seconds * 1000 }));
}

/** Records a sign of life, which restarts the wait timeout. */
export const storeSignOfLife = (task: FlowTask) => task.store({ provision_updated_at: now(task.services) });

/** Records a sign of life, and what the node waits for from now on if that has changed. */
export function storeProgress(task: FlowTask, awaited: Awaited): void {
  const since = now(task.services);
  const { wait } = task.node;
  if ('reason' in wait && wait.reason === awaited.reason) return storeSignOfLife(task);
  task.store({ provision_updated_at: since, wait: { ...awaited, since } });
  recordWait(task.services, task.node);
}

export const storePrepared = (task: FlowTask) =>
  task.store(changeInfo(task.node, { ramdisk_prepared: true }));

/** Records an abort that takes effect when the current step has ended. */
export function storeAbort(task: FlowTask, phase: StepPhase): void {
  const field = shownIn[phase];
  const step = currentStep(task.node, phase);
  if (field && step) task.store({ [field]: { ...step, abort_after: true } });
}

/** The changes at the start of cleaning or servicing; without a request the flow runs the available steps. */
export const recordRequest = (
  node: Node,
  phase: 'clean' | 'service',
  request: readonly RequestedStep[] | undefined,
): NodeChanges => beginRecord(node, phase, keyChange(`user_${phase}_steps`, request ?? null));

/** The changes at the start of a deployment. */
export const recordDeployRequest = (node: Node, request: readonly DeployStep[]): NodeChanges =>
  beginRecord(node, 'deploy', { user_deploy_steps: request });

function beginRecord(node: Node, phase: StepPhase, request: InternalInfoChanges): NodeChanges {
  const cleared = clearFlow(node, phase);
  return { ...cleared, ...changeInfo({ ...node, ...cleared }, request) };
}
