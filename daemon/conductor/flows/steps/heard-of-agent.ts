// Continues a flow when the heartbeat that its node waits for arrives.
import type { PlannedStep } from '../../../model/steps/planned-steps.ts';
import type { NodeTask } from '../../tasks/task.ts';
import { answered, standingOf } from './agent-steps.ts';
import { agentSteps, currentStep, hasBegun, keepHeard, waitLeft } from './flow-record.ts';
import { asksAgent, ownStep } from './offered-steps.ts';
import type { Phase } from './phase.ts';
import { goOn, goOnPlanning, goOnRepeating, guarded, learnedAgentSteps, planOn } from './run-flow.ts';
import { resultOf } from './run-step.ts';

/** Continues `phase`, in which the node waits, after a heartbeat of its agent. */
export function heardOfAgent(task: NodeTask, phase: Phase): Promise<void> {
  return guarded(task, phase, async () => {
    if (!(await knowsAgent(task, phase))) return;
    const step = currentStep(task.node, phase.name);
    if (step === undefined) await goOnPlanning(task, phase);
    else if (endsByHeartbeat(task, step)) await goOn(task, phase, 'done');
    else if (endsByItself(task, phase, step)) keepHeard(task);
    else await lookAtCommands(task, phase, step);
  });
}

async function knowsAgent(task: NodeTask, phase: Phase): Promise<boolean> {
  if (agentSteps(task.node, phase.name) !== undefined || !asksAgent(task, phase.name)) return true;
  if (!(await learnedAgentSteps(task, phase))) return false;
  if (phase.plansOnWithAgent === true) planOn(task, phase);
  return true;
}

const endsByHeartbeat = ({ node, services }: NodeTask, { step }: PlannedStep): boolean =>
  step === 'wait' && waitLeft(node, services.clock) === undefined;

const endsByItself = (task: NodeTask, phase: Phase, step: PlannedStep): boolean =>
  step.step === 'wait' || ownStep(task, phase.name, step)?.poll !== undefined;

async function lookAtCommands(task: NodeTask, phase: Phase, step: PlannedStep): Promise<void> {
  if (phase.name === 'verify') return;
  const commands = await answered(task, () => task.agent.commands());
  if (commands === undefined) return;
  const begun = hasBegun(task.node, phase.name);
  const standing = standingOf(phase.name, step, begun, commands);
  if (standing.kind === 'pending') return keepHeard(task);
  if (!begun) return goOnRepeating(task, phase);
  await goOn(task, phase, await resultOf(task, phase.name, step, standing));
}
