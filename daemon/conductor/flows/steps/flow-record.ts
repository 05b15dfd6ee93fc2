// A flow's state in the node's record: the request, the plan and the progress. A restarted daemon resumes from it.
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import type { OfferedStep, PlannedStep } from '../../../model/steps/planned-steps.ts';
import type { DeployStep, NamedStep, RequestedStep } from '../../../model/steps/step-lists.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import type { WatchedClock } from '../../../lib/watched-clock.ts';
import { now } from '../../services.ts';
import type { NodeTask } from '../../tasks/task.ts';

/** The node field that shows the running step; verification has none. */
const shownIn = {
  verify: undefined,
  clean: 'clean_step',
  deploy: 'deploy_step',
  service: 'service_step',
} as const;

const rebooting = {
  verify: 'verifying_reboot',
  clean: 'cleaning_reboot',
  deploy: 'deployment_reboot',
  service: 'servicing_reboot',
} as const;

/** Set while the deploy interface has something to tear down after the flow. */
const PREPARED = 'ramdisk_prepared';
/** Set when the agent was given the current step. The agent forgets the step when it reboots. */
const WITH_AGENT = 'agent_runs_step';
/** Begin and end of a `wait` step with a time limit, in milliseconds since the epoch. */
const WAIT_SINCE = 'step_waits_since';
const WAIT_UNTIL = 'step_waits_until';

const keysOf = (phase: StepPhase) => ({
  request: `user_${phase}_steps`,
  plan: `${phase}_steps`,
  index: `${phase}_step_index`,
  skip: `skip_current_${phase}_step`,
  rebooting: rebooting[phase],
});

const kept = (node: Node, key: string): Json | undefined => node.driver_internal_info[key];

/** Returns the requested steps; undefined when the flow runs the offered steps. */
export const requestedSteps = (node: Node, phase: Exclude<StepPhase, 'deploy'>) =>
  kept(node, keysOf(phase).request) as readonly RequestedStep[] | undefined;

/** Returns the `deploy_steps` of the request, which run in addition to offered steps and those of templates. */
export const requestedDeploySteps = (node: Node) =>
  (kept(node, keysOf('deploy').request) ?? []) as unknown as readonly DeployStep[];

/** Returns the planned steps; empty until the flow has been planned. */
export const plannedSteps = (node: Node, phase: StepPhase) =>
  (kept(node, keysOf(phase).plan) ?? []) as unknown as readonly PlannedStep[];

export const stepIndex = (node: Node, phase: StepPhase) => Number(kept(node, keysOf(phase).index) ?? 0);

/** Returns the step that is running or waiting; undefined before the first. */
export function currentStep(node: Node, phase: StepPhase): PlannedStep | undefined {
  const field = shownIn[phase];
  if (field === undefined) return plannedSteps(node, phase)[stepIndex(node, phase)];
  return Object.keys(node[field]).length > 0 ? (node[field] as unknown as PlannedStep) : undefined;
}

/** Whether the current step has begun; false also while it must begin again after a reboot. */
export const hasBegun = (node: Node, phase: StepPhase) => kept(node, keysOf(phase).skip) !== false;

export const isRebooting = (node: Node, phase: StepPhase) => kept(node, keysOf(phase).rebooting) === true;

/** Whether the agent was given the current step and was not rebooted for it since. */
export const isWithAgent = (node: Node, phase: StepPhase) =>
  kept(node, WITH_AGENT) === true && !isRebooting(node, phase);

export const hasPreparedRamdisk = (node: Node) => kept(node, PREPARED) === true;

/** Returns the milliseconds until the `wait` step ends, negative if overdue; undefined when it has no time limit. */
export function waitLeft(node: Node, clock: Pick<WatchedClock, 'age'>): number | undefined {
  const [since, until] = [kept(node, WAIT_SINCE), kept(node, WAIT_UNTIL)];
  if (typeof until !== 'number') return undefined;
  return typeof since === 'number' ? until - since - clock.age(since) : -clock.age(until);
}

/** The steps of an agent, by interface type. */
export type AgentSteps = Readonly<Record<string, readonly OfferedStep[]>>;

const cached = (phase: StepPhase) => `agent_cached_${phase}_steps`;
const refreshed = (phase: StepPhase) => `${cached(phase)}_refreshed`;

/** Returns the steps of the running agent; undefined when it has not been asked since it booted. */
export const agentSteps = (node: Node, phase: StepPhase): AgentSteps | undefined =>
  kept(node, refreshed(phase)) === undefined
    ? undefined
    : (kept(node, cached(phase)) as unknown as AgentSteps);

/** Returns the node as if the agent asked last, if any, were still running: for previews of a flow. */
export const withLastAgent = (node: Node, phase: StepPhase): Node =>
  kept(node, cached(phase)) === undefined
    ? node
    : { ...node, ...withKept(node, { [refreshed(phase)]: kept(node, refreshed(phase)) ?? true }) };

/** Returns `driver_internal_info` with `more` merged in; null removes a key. */
export function withKept(node: Node, more: JsonObject): NodeChanges {
  const all = Object.entries({ ...node.driver_internal_info, ...more });
  return { driver_internal_info: Object.fromEntries(all.filter(([, value]) => value !== null)) };
}

export function keepPlan(
  task: NodeTask,
  phase: StepPhase,
  steps: readonly PlannedStep[],
  index: number,
): void {
  const { plan, index: position } = keysOf(phase);
  task.store(withKept(task.node, { [plan]: steps as unknown as Json, [position]: index }));
}

/** Stores the current step; called before the step begins. */
export function keepStep(task: NodeTask, phase: StepPhase, index: number, step: PlannedStep): void {
  const { index: position, skip } = keysOf(phase);
  const field = shownIn[phase];
  task.agentHasStep = false;
  task.store({
    ...withKept(task.node, {
      [position]: index,
      [skip]: null,
      [WAIT_SINCE]: null,
      [WAIT_UNTIL]: null,
      [WITH_AGENT]: null,
    }),
    ...(field && { [field]: step as unknown as JsonObject }),
  });
}

/** The changes that make the current step begin (again) at the next heartbeat. */
export const unbegun = (node: Node, phase: StepPhase): NodeChanges =>
  withKept(node, { [keysOf(phase).skip]: false });

/** The changes for a reboot that the current step asked for; with `repeats` the step begins again after it. */
export const rebootBegun = (node: Node, phase: StepPhase, repeats: boolean): NodeChanges =>
  withKept(node, { [keysOf(phase).rebooting]: true, ...(repeats && { [keysOf(phase).skip]: false }) });

export const rebootEnded = (node: Node, phase: StepPhase): NodeChanges =>
  withKept(node, { [keysOf(phase).rebooting]: null });

export const withAgent = (node: Node): NodeChanges => withKept(node, { [WITH_AGENT]: true });

export function keepWait(task: NodeTask, seconds: number): void {
  const since = task.services.clock.now();
  task.store(withKept(task.node, { [WAIT_SINCE]: since, [WAIT_UNTIL]: since + seconds * 1000 }));
}

/** Records a sign of life, which restarts the wait timeout. */
export const keepHeard = (task: NodeTask) => task.store({ provision_updated_at: now(task.services) });

export const keepPrepared = (task: NodeTask) => task.store(withKept(task.node, { [PREPARED]: true }));

/** Records an abort that takes effect when the current step has ended. */
export function keepAbort(task: NodeTask, phase: StepPhase): void {
  const field = shownIn[phase];
  if (field) task.store({ [field]: { ...task.node[field], abort_after: true } });
}

/** The changes at the beginning of a flow, or, without a request, at its end. Keeps the mark of a prepared ramdisk. */
export function flowRecord(node: Node, phase: StepPhase, request?: readonly NamedStep[]): NodeChanges {
  const keys = keysOf(phase);
  const field = shownIn[phase];
  return {
    ...withKept(node, {
      [keys.request]: (request as unknown as Json | undefined) ?? null,
      [keys.plan]: null,
      [keys.index]: null,
      [keys.skip]: null,
      [keys.rebooting]: null,
      [WAIT_SINCE]: null,
      [WAIT_UNTIL]: null,
      [WITH_AGENT]: null,
    }),
    ...(field && { [field]: {} }),
  };
}

/** The changes at the end of a flow whose ramdisk is torn down. */
export const endedFlow = (node: Node, phase: StepPhase): NodeChanges =>
  flowRecord({ ...node, ...withKept(node, { [PREPARED]: null }) }, phase);
