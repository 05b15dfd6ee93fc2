// Runs the steps of a flow in order, and resumes a flow that had to wait.
import { Fault, reasonOf } from '../../../model/faults.ts';
import type { NodeChanges } from '../../../model/records/node.ts';
import type { PlannedStep } from '../../../model/steps/planned-steps.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import { stepName } from '../../../model/steps/step-lists.ts';
import { changePower } from '../../hardware/change-power.ts';
import { awaitedInStep, type StepWait } from '../awaited.ts';
import { learnAgentSteps } from './agent-steps.ts';
import {
  rebootChanges,
  laterStepChanges,
  currentStep,
  rebootEndChanges,
  agentStepChanges,
  plannedSteps,
  stepIndex,
  storePlan,
  storeStep,
} from './flow-record.ts';
import type { Phase } from './phase.ts';
import { runStep, type StepResult } from './run-step.ts';
import { agentParameters } from '../../ramdisk/ramdisk-parameters.ts';
import type { FlowTask } from '../services.ts';

/**
 * Enters a flow: at its start, and whenever a heartbeat, a poll or an operator continues it. When `work` throws, fails
 * the flow with that reason. Only here does an error fail the flow: `work` and the functions that it calls throw their
 * errors.
 */
export async function enterFlow(task: FlowTask, phase: Phase, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Fault)) task.log.error({ error }, `${phase.name} flow failed`);
    const step = currentStep(task.node, phase.name);
    await phase.fail(task, step ? `Step ${stepName(step)} failed: ${reasonOf(error)}` : reasonOf(error));
  }
}

/** Plans the flow and runs its steps, in the phase's working state. `changes` are stored together with the plan. */
export async function planAndRun(task: FlowTask, phase: Phase, changes: NodeChanges = {}): Promise<void> {
  const steps = phase.plan(task);
  task.transaction(() => {
    storePlan(task, phase.name, { steps, index: 0 }, changes);
    recordSteps(task, phase, 'Steps', steps);
  });
  await runFrom(task, phase, 0);
}

/** Resumes from a waiting state: plans and begins the flow now that the ramdisk is running. */
export async function resumeByPlanning(task: FlowTask, phase: Phase): Promise<void> {
  task.transition('resume');
  await planAndRun(task, phase);
}

/** Resumes from a waiting state: starts the current step, or starts it again. */
export async function resumeByRepeating(task: FlowTask, phase: Phase): Promise<void> {
  task.transition('resume', { changes: rebootEndChanges(task.node, phase.name) });
  await runFrom(task, phase, stepIndex(task.node, phase.name));
}

/** Resumes from a waiting state; `result` is the outcome of the current step. */
export async function resumeAfter(task: FlowTask, phase: Phase, result: StepResult): Promise<void> {
  task.transition('resume', { changes: rebootEndChanges(task.node, phase.name) });
  await runFrom(task, phase, await nextIndex(task, phase, result));
}

/**
 * Plans the flow again, and keeps the current step as the current one; does nothing if there is none. Throws when the new plan
 * lacks the current step. Also throws when it has a new step before the current one, because that step would never run.
 */
export function replan(task: FlowTask, phase: Phase): void {
  if (currentStep(task.node, phase.name) === undefined) return;
  const begun = plannedSteps(task.node, phase.name)
    .slice(0, stepIndex(task.node, phase.name) + 1)
    .map(stepName);
  const steps = phase.plan(task);
  const index = placeBehind(begun, steps);
  const late = steps.slice(0, index).find((step) => !begun.includes(stepName(step)));
  if (late !== undefined)
    throw new Error(
      `step ${stepName(late)} has priority ${late.priority}, but was discovered after steps of lower priority had run`,
    );
  const before = plannedSteps(task.node, phase.name).map(stepName);
  storePlan(task, phase.name, { steps, index });
  if (steps.map(stepName).join() !== before.join())
    recordSteps(task, phase, 'Steps, with those of the agent', steps);
}

/**
 * Returns the index of the current step in the new plan `steps`. Throws when the new plan does not contain the step. `begun`: the
 * names of the old plan's steps up to the current one. Several steps may have the same name.
 */
function placeBehind(begun: readonly string[], steps: readonly PlannedStep[]): number {
  const current = begun.at(-1);
  const times = begun.filter((name) => name === current).length;
  const places = steps.flatMap((step, index) => (stepName(step) === current ? [index] : []));
  const place = places[times - 1];
  if (place === undefined)
    throw new Error(
      `it is no longer in the plan: a deploy template was changed while the node was being deployed`,
    );
  return place;
}

async function runFrom(task: FlowTask, phase: Phase, first: number | undefined): Promise<void> {
  let index = first;
  while (index !== undefined) {
    const step: PlannedStep | undefined = plannedSteps(task.node, phase.name)[index];
    if (step === undefined) return finish(task, phase);
    storeStep(task, phase.name, index, step);
    task.services.workTimes.beginStep(task.node.uuid, `${phase.name} ${stepName(step)}`);
    task.log.info({ step: stepName(step), index }, `${phase.name} step begins`);
    index = await nextIndex(task, phase, await runStep(task, phase.name, step));
  }
}

async function finish(task: FlowTask, phase: Phase): Promise<void> {
  const flow = phase.flow?.(task.node);
  const { event, changes } = await phase.finish(task);
  task.transaction(() => {
    task.transition(event, { changes });
    if (flow !== undefined && task.services.config.conductor.record_step_flows_in_history)
      task.recordInfo({ event: 'All steps have run.', eventType: `${flow}_end` });
  });
}

function recordSteps(task: FlowTask, phase: Phase, opening: string, steps: readonly PlannedStep[]): void {
  const shown = steps.map(({ args, ...step }) =>
    args === undefined ? stepName(step) : `${stepName(step)} ${JSON.stringify(maskSecrets(args))}`,
  );
  const event = shown.length === 0 ? 'There are no steps to run.' : `${opening}: ${shown.join(', ')}.`;
  task.log.info({ phase: phase.name, steps: shown }, 'steps planned');
  const flow = phase.flow?.(task.node);
  if (flow !== undefined && task.services.config.conductor.record_step_flows_in_history)
    task.recordInfo({ event, eventType: `${flow}_start` });
}

/** Returns the index of the step to run after the current one had `result`; undefined when the flow waits or has ended. */
async function nextIndex(task: FlowTask, phase: Phase, result: StepResult): Promise<number | undefined> {
  const index = stepIndex(task.node, phase.name);
  switch (result) {
    case 'wait':
    case 'hold':
      return wait(task, phase, result);
    case 'wait for agent':
      return wait(task, phase, result, agentStepChanges(task.node));
    case 'not yet':
      return wait(task, phase, result, laterStepChanges(task.node, phase.name));
    case 'version mismatch':
      return afterMismatch(task, phase, index);
    default:
      return afterEnd(task, phase, result);
  }
}

/** The flow waits in its current step, and `changes` are stored together with the reason. */
function wait(task: FlowTask, phase: Phase, why: StepWait, changes: NodeChanges = {}): undefined {
  const awaited = awaitedInStep(task, phase.name, why);
  task.wait(why === 'hold' ? 'hold' : 'wait', awaited, { changes });
}

async function afterEnd(
  task: FlowTask,
  phase: Phase,
  result: 'done' | 'reboot' | 'reboot and repeat',
): Promise<number | undefined> {
  if (result !== 'reboot and repeat') task.services.workTimes.endStep(task.node.uuid);
  if (currentStep(task.node, phase.name)?.abort_after === true) {
    await phase.abort?.(task)(task);
    return undefined;
  }
  return result === 'done' ? stepIndex(task.node, phase.name) + 1 : reboot(task, phase, result);
}

// If a ramdisk is running, the machine boots it again, and the next heartbeat continues the flow. Otherwise the flow continues
// at once.
async function reboot(
  task: FlowTask,
  phase: Phase,
  result: 'reboot' | 'reboot and repeat',
): Promise<number | undefined> {
  const index = stepIndex(task.node, phase.name);
  const inRamdisk = task.node.driver_internal_info.agent_url !== undefined;
  if (inRamdisk) await task.driver.boot.prepareRamdisk?.(task.view, agentParameters(task.services.config));
  await changePower(task, 'rebooting');
  if (!inRamdisk) return result === 'reboot' ? index + 1 : index;
  const repeats = result === 'reboot and repeat';
  return wait(task, phase, 'reboot', rebootChanges(task.node, phase.name, repeats));
}

async function afterMismatch(task: FlowTask, phase: Phase, index: number): Promise<number | undefined> {
  const before = JSON.stringify(task.node.driver_internal_info.hardware_manager_version);
  if (!(await learnAgentSteps(task, phase.name))) return nextIndex(task, phase, 'not yet');
  if (JSON.stringify(task.node.driver_internal_info.hardware_manager_version) === before)
    throw new Error(`the agent rejects the hardware manager versions that it reports itself: ${before}`);
  if (phase.startsOver?.(task) !== true) return index;
  storePlan(task, phase.name, { steps: phase.plan(task), index: 0 });
  return 0;
}
