// What a node's record keeps of a flow of steps: the request, the plan, and how far it is. A restart reads it from here.
import type { Json, JsonObject } from '../../model/json.ts';
import type { Node, NodeChanges } from '../../model/node.ts';
import type { OfferedStep, PlannedStep } from '../../model/planned-steps.ts';
import type { DeployStep, NamedStep, RequestedStep } from '../../model/step-lists.ts';
import type { StepPhase } from '../../model/step-phases.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';
import { now } from '../services.ts';
import type { NodeTask } from '../task.ts';

/** The field that shows the running step; verification shows none. */
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
/** The agent was given the current step. It forgets that when it boots. */
const WITH_AGENT = 'agent_runs_step';
/** When a `wait` step began that ends by itself, and when it ends. */
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

/** The steps that were asked for; undefined when the flow runs what is offered. */
export const requestedSteps = (node: Node, phase: Exclude<StepPhase, 'deploy'>) =>
  kept(node, keysOf(phase).request) as readonly RequestedStep[] | undefined;

/** The `deploy_steps` that were asked for beside what is offered and templates add. */
export const requestedDeploySteps = (node: Node) =>
  (kept(node, keysOf('deploy').request) ?? []) as unknown as readonly DeployStep[];

/** Empty until the flow has been planned. */
export const plannedSteps = (node: Node, phase: StepPhase) =>
  (kept(node, keysOf(phase).plan) ?? []) as unknown as readonly PlannedStep[];

export const stepIndex = (node: Node, phase: StepPhase) => Number(kept(node, keysOf(phase).index) ?? 0);

/** The step that runs or is waited for; undefined before the first. */
export function currentStep(node: Node, phase: StepPhase): PlannedStep | undefined {
  const field = shownIn[phase];
  if (field === undefined) return plannedSteps(node, phase)[stepIndex(node, phase)];
  return Object.keys(node[field]).length > 0 ? (node[field] as unknown as PlannedStep) : undefined;
}

/** The current step was sent off; false: it is yet to begin, or to begin once more after a reboot. */
export const hasBegun = (node: Node, phase: StepPhase) => kept(node, keysOf(phase).skip) !== false;

export const isRebooting = (node: Node, phase: StepPhase) => kept(node, keysOf(phase).rebooting) === true;

/** The agent was given the current step and was not booted since for its sake. */
export const isWithAgent = (node: Node, phase: StepPhase) =>
  kept(node, WITH_AGENT) === true && !isRebooting(node, phase);

export const hasPreparedRamdisk = (node: Node) => kept(node, PREPARED) === true;

/** Milliseconds until the `wait` step ends by itself, negative after that; undefined when it does not. */
export function waitLeft(node: Node, clock: Pick<WatchedClock, 'age'>): number | undefined {
  const [since, until] = [kept(node, WAIT_SINCE), kept(node, WAIT_UNTIL)];
  if (typeof until !== 'number') return undefined;
  return typeof since === 'number' ? until - since - clock.age(since) : -clock.age(until);
}

/** Steps of an agent by interface type. */
export type AgentSteps = Readonly<Record<string, readonly OfferedStep[]>>;

const cached = (phase: StepPhase) => `agent_cached_${phase}_steps`;
const refreshed = (phase: StepPhase) => `${cached(phase)}_refreshed`;

/** Those of the running agent; undefined when it was not asked since it booted. */
export const agentSteps = (node: Node, phase: StepPhase): AgentSteps | undefined =>
  kept(node, refreshed(phase)) === undefined
    ? undefined
    : (kept(node, cached(phase)) as unknown as AgentSteps);

/** The node as if the agent still ran that was asked last, if any was: for those who ask what would be. */
export const withLastAgent = (node: Node, phase: StepPhase): Node =>
  kept(node, cached(phase)) === undefined
    ? node
    : { ...node, ...withKept(node, { [refreshed(phase)]: kept(node, refreshed(phase)) ?? true }) };

/** A record in which `more` is added to what the flow keeps; null takes a key out. */
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

/** Stored before the step begins. */
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

/** The current step is to begin (again) when the ramdisk is heard of. */
export const unbegun = (node: Node, phase: StepPhase): NodeChanges =>
  withKept(node, { [keysOf(phase).skip]: false });

/** The machine boots for the sake of the current step, which is to begin once more after that when it `repeats`. */
export const rebootBegun = (node: Node, phase: StepPhase, repeats: boolean): NodeChanges =>
  withKept(node, { [keysOf(phase).rebooting]: true, ...(repeats && { [keysOf(phase).skip]: false }) });

export const rebootEnded = (node: Node, phase: StepPhase): NodeChanges =>
  withKept(node, { [keysOf(phase).rebooting]: null });

export const withAgent = (node: Node): NodeChanges => withKept(node, { [WITH_AGENT]: true });

export function keepWait(task: NodeTask, seconds: number): void {
  const since = task.now();
  task.store(withKept(task.node, { [WAIT_SINCE]: since, [WAIT_UNTIL]: since + seconds * 1000 }));
}

/** A sign of life: the wait for it begins anew. */
export const keepHeard = (task: NodeTask) => task.store({ provision_updated_at: now(task.services) });

export const keepPrepared = (task: NodeTask) => task.store(withKept(task.node, { [PREPARED]: true }));

/** An abort takes effect when the current step has ended. */
export function keepAbort(task: NodeTask, phase: StepPhase): void {
  const field = shownIn[phase];
  if (field) task.store({ [field]: { ...task.node[field], abort_after: true } });
}

/** The record at the begin of a flow, and after its end with no request; a prepared ramdisk is not forgotten. */
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

/** The record after the end of a flow whose ramdisk is torn down. */
export const endedFlow = (node: Node, phase: StepPhase): NodeChanges =>
  flowRecord({ ...node, ...withKept(node, { [PREPARED]: null }) }, phase);
