// Cleaning and servicing: flows that boot a ramdisk when one of their steps needs it.
import { type Fault, fault } from '../../../model/faults.ts';
import { interfaceTypes } from '../../../model/machine/interface-types.ts';
import type { Node, NodeChanges } from '../../../model/records/node.ts';
import {
  type PlannedStep,
  planRequested,
  type RequestedPlan,
  waitSeconds,
} from '../../../model/steps/planned-steps.ts';
import { type NamedStep, type RequestedStep, stepName } from '../../../model/steps/step-lists.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import { clearFlowAndRamdisk } from '../../../model/steps/clear-flow.ts';
import { agentStateToClear } from '../../tasks/agent-state.ts';
import { heartbeat } from '../awaited.ts';
import { learnAgentSteps } from './agent-steps.ts';
import {
  agentSteps,
  currentStep,
  hasPreparedRamdisk,
  recordRequest,
  requestedSteps,
  storePrepared,
} from './flow-record.ts';
import { asksAgent, availableSteps, offersAgentSteps } from './available-steps.ts';
import type { Phase } from './phase.ts';
import { planAndRun } from './run-flow.ts';
import { forgetUnusableRamdisk } from '../../ramdisk/kept-ramdisk.ts';
import { saveRamdiskLogs } from '../../ramdisk/ramdisk-logs.ts';
import type { FlowTask } from '../services.ts';

export interface RamdiskPhase extends Phase {
  readonly name: 'clean' | 'service';
  /** The deploy interface's operations that boot the ramdisk before the steps and end it after them. */
  readonly prepare: 'prepareCleaning' | 'prepareService';
  readonly tearDown: 'tearDownCleaning' | 'tearDownService';
}

export interface RequestedFlow {
  readonly steps: readonly PlannedStep[];
  /** Why the steps cannot run, one sentence per problem. */
  readonly problems: readonly string[];
  readonly needsRamdisk: boolean;
}

/**
 * Checks the requested steps before a ramdisk is booted. `allowed`: whether a ramdisk may be booted. If so, an unknown
 * step is accepted when the ramdisk's agent could turn out to offer it.
 */
export function draftFlow(
  task: FlowTask,
  phase: StepPhase,
  requested: readonly RequestedStep[],
  allowed: boolean,
): RequestedFlow {
  const plan = planRequested(requested, availableSteps(task, phase));
  const needing = plan.steps.filter((step) => step.requires_ramdisk);
  const problems = [
    ...problemsOf({
      ...plan,
      unknown: plan.unknown.filter((step) => !allowed || !agentMayHave(task, phase, step)),
    }),
    ...(allowed
      ? []
      : needing.map((step) => `step ${stepName(step)} needs a ramdisk, but disable_ramdisk forbids one`)),
    ...(needing.length > 0 ? [] : endlessWaits(plan.steps)),
  ];
  return { steps: plan.steps, problems, needsRamdisk: needing.length > 0 };
}

/** Whether the steps need a ramdisk. Throws StepsInvalid when some cannot run. */
function needsRamdisk(
  task: FlowTask,
  phase: StepPhase,
  requested: readonly RequestedStep[],
  allowed: boolean,
): boolean {
  const draft = draftFlow(task, phase, requested, allowed);
  if (draft.problems.length > 0) throw stepsInvalid(task.node, phase, draft.problems);
  return draft.needsRamdisk;
}

/**
 * Plans the requested steps. Call it when all steps of the node, including the agent's, are known. Throws StepsInvalid
 * when some cannot run.
 */
export function requestedPlan(
  task: FlowTask,
  phase: StepPhase,
  requested: readonly RequestedStep[],
): readonly PlannedStep[] {
  const plan = planRequested(requested, availableSteps(task, phase));
  const problems = problemsOf(plan);
  if (problems.length > 0) throw stepsInvalid(task.node, phase, problems);
  return plan.steps;
}

const problemsOf = ({ unknown, problems }: RequestedPlan): string[] => [
  ...unknown.map((step) => `the node has no step ${stepName(step)}`),
  ...problems,
];

/** Whether the agent may turn out to have the step. Its steps are unknown until the ramdisk runs. */
const agentMayHave = ({ driver, node }: FlowTask, phase: StepPhase, step: NamedStep): boolean =>
  agentSteps(node, phase) === undefined &&
  interfaceTypes.some((type) => type === step.interface && offersAgentSteps(driver, type, phase));

/** Returns a problem for each `wait` step without a time limit. For flows without a ramdisk, where no heartbeat ends the step. */
export const endlessWaits = (steps: readonly PlannedStep[]): string[] =>
  steps
    .filter((step) => step.step === 'wait' && waitSeconds(step) === undefined)
    .map(
      () => 'step "wait" needs the argument "seconds", because without a ramdisk no heartbeat ends the step',
    );

const stepsInvalid = ({ uuid }: Node, phase: StepPhase, problems: readonly string[]): Fault =>
  fault('StepsInvalid', { phase, node: uuid, problems: problems.join('; ') });

/**
 * Starts the flow: boots the ramdisk first if its steps need or may need one, otherwise runs the steps at once. Throws
 * StepsInvalid when a requested step cannot run, such as one that needs a ramdisk when none is `allowed`.
 */
export async function startFlow(task: FlowTask, phase: RamdiskPhase, allowed: boolean): Promise<void> {
  const requested = requestedSteps(task.node, phase.name);
  const inRamdisk = requested
    ? needsRamdisk(task, phase.name, requested, allowed)
    : mayNeedRamdisk(task, phase.name);
  if (inRamdisk && !(await prepareRamdisk(task, phase))) task.wait('wait', heartbeat(task.node));
  else await planAndRun(task, phase);
}

/** Validates the power interface and, if `ramdisk`, the network interface. Throws when either finds the node unfit for a flow. */
export async function validateForFlow(task: FlowTask, ramdisk: boolean): Promise<void> {
  await task.driver.power.validate(task.view);
  if (ramdisk) await task.driver.network.validate(task.view);
}

/** Whether automated cleaning may need a ramdisk, judged before all its steps are known. */
export const mayNeedRamdisk = (task: FlowTask, phase: StepPhase): boolean =>
  asksAgent(task, phase) ||
  availableSteps(task, phase).some(({ priority, requires_ramdisk: needs }) => priority > 0 && needs);

/** Resolves to whether the flow can run now; otherwise it waits for the ramdisk's heartbeat. */
async function prepareRamdisk(task: FlowTask, phase: RamdiskPhase): Promise<boolean> {
  const { deploy } = task.driver;
  if (deploy[phase.prepare] === undefined) {
    // the interface needs no preparation, or does not support deployment; in the second case validate() throws
    await deploy.validate(task.view);
    return true;
  }
  storePrepared(task);
  await forgetUnusableRamdisk(task);
  if ((await deploy[phase.prepare]?.(task.view)) === 'wait') return false;
  return !asksAgent(task, phase.name) || learnAgentSteps(task, phase.name);
}

/** The changes at the start of a flow; without a request the flow runs the available steps. */
export const changesToBegin = (
  { node, services }: FlowTask,
  { name }: RamdiskPhase,
  request: readonly RequestedStep[] | undefined,
): NodeChanges => recordRequest({ ...node, ...agentStateToClear(services, node) }, name, request);

/**
 * Ends the flow. If the flow prepared a ramdisk, tears it down; before that, saves the ramdisk's logs where [agent]
 * deploy_logs_collect asks for them. Returns the changes to store; throws when the tear-down fails. `logs`: how the flow ended:
 * `on_failure` if it failed, `always` if it did not.
 */
export async function endFlow(
  task: FlowTask,
  phase: RamdiskPhase,
  logs: 'always' | 'on_failure',
): Promise<NodeChanges> {
  const cleared = clearFlowAndRamdisk(task.node, phase.name);
  if (!hasPreparedRamdisk(task.node))
    return { ...cleared, ...agentStateToClear(task.services, { ...task.node, ...cleared }) };
  task.store(cleared);
  await keepLogs(task, phase, logs);
  await task.driver.deploy[phase.tearDown]?.(task.view);
  return agentStateToClear(task.services, task.node);
}

export const keepLogs = (task: FlowTask, phase: RamdiskPhase, when: 'always' | 'on_failure'): Promise<void> =>
  saveRamdiskLogs(task, phase.name === 'clean' ? 'cleaning' : 'service', when === 'on_failure');

/**
 * Returns the changes that put the node in maintenance if the flow failed in a step, so that an operator checks the
 * node before it is used again. No changes if no step had begun.
 */
export const maintenanceAfterFailedStep = (
  task: FlowTask,
  phase: RamdiskPhase,
  reason: string,
): NodeChanges =>
  currentStep(task.node, phase.name) === undefined
    ? {}
    : { maintenance: true, maintenance_reason: reason, fault: `${phase.name} failure` };
