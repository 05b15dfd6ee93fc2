// Runs one step: by the driver, the agent in the ramdisk or the conductor itself, or on child nodes.
import type { AgentEvent } from '../../../agent/agent.ts';
import { Fault, fault } from '../../../model/faults.ts';
import { interfaceTypes } from '../../../model/machine/interface-types.ts';
import {
  isReserved,
  type PlannedStep,
  type ReservedStep,
  waitSeconds,
} from '../../../model/steps/planned-steps.ts';
import { stepName } from '../../../model/steps/step-lists.ts';
import type { StepPhase } from '../../../model/steps/step-phases.ts';
import type { AgentPhase, StepOutcome } from '../../../plugin-api/index.ts';
import { changePower } from '../../hardware/change-power.ts';
import { withTask } from '../../tasks/run-task.ts';
import { type CommandStatus, statusOf } from './agent-steps.ts';
import { isRebooting, isWithAgent, storeWait } from './flow-record.ts';
import { asksAgent, ownStep } from './available-steps.ts';
import type { FlowTask } from '../services.ts';

/**
 * `not yet`: the agent could not be given the step; `hold`: the flow waits for an operator; `version mismatch`: the agent's
 * hardware managers have changed since it listed its steps.
 */
export type StepResult = StepOutcome | 'not yet' | 'hold' | 'version mismatch';

/** Runs the step. When this throws, the flow fails. */
export async function runStep(task: FlowTask, phase: StepPhase, step: PlannedStep): Promise<StepResult> {
  if (step.execute_on_child_nodes === true) return runOnChildren(task, phase, step);
  if (isReserved(step.step)) return runReserved(task, step, step.step);
  try {
    const own = ownStep(task, phase, step);
    if (own !== undefined) return await own.run(task.view, step.args ?? {});
    if (phase === 'verify' || !asksAgent(task, phase)) throw missingStep(task, step);
    return await runByAgent(task, phase, step);
  } catch (error) {
    if (!listensLater(task, phase, error)) throw error;
    return 'not yet';
  }
}

async function runByAgent(task: FlowTask, phase: AgentPhase, step: PlannedStep): Promise<StepResult> {
  const command = await task.agent.startStep(phase, step);
  return stepResult(task, phase, step, statusOf(phase, step, command));
}

/**
 * Returns the outcome of a step from the status that the agent reported. Throws when the step failed, or when the ramdisk rebooted
 * before its agent reported how the step ended.
 */
export async function stepResult(
  task: FlowTask,
  phase: AgentPhase,
  step: PlannedStep,
  status: CommandStatus,
): Promise<StepResult> {
  recordEnd(task, `${phase} step ${stepName(step)}`, status);
  switch (status.kind) {
    case 'failed':
      throw new Error(status.reason);
    case 'ended': {
      const type = interfaceTypes.find((each) => each === step.interface);
      await (type && task.driver[type].agentStepEnded?.(task.view, step, status.result));
      return step.reboot_requested === true ? 'reboot' : 'done';
    }
    case 'version mismatch':
      return status.kind;
    case 'unbegun':
      return 'not yet';
    case 'fresh':
      if (isWithAgent(task.node, phase))
        throw new Error('the ramdisk rebooted before its agent reported how the step ended');
      return 'done';
    default:
      return 'wait for agent';
  }
}

function recordEnd({ services, node }: FlowTask, step: string, status: CommandStatus): void {
  const record = (event: AgentEvent) => services.timeline.record({ hop: 'agent', node: node.uuid, ...event });
  if (status.kind === 'ended') record({ text: `its agent ended ${step}` });
  else if (status.kind === 'failed')
    record({ text: `its agent did not end ${step}: ${status.reason}`, failed: true });
  else if (status.kind === 'version mismatch')
    record({ text: `its agent refused ${step}: its hardware managers have changed`, failed: true });
}

/** Whether the agent will take the step later: it is busy, or its ramdisk is still booting. */
function listensLater({ node }: FlowTask, phase: StepPhase, error: unknown): boolean {
  if (!(error instanceof Fault)) return false;
  const booting = isRebooting(node, phase) || node.driver_internal_info.agent_url === undefined;
  return error.code === 'AgentBusy' || (error.code === 'AgentUnreachable' && booting);
}

const missingStep = ({ node }: FlowTask, step: PlannedStep) =>
  fault('Invalid', {
    reason: `neither the ${step.interface} interface of node ${node.uuid} nor an agent has the step ${stepName(step)}`,
  });

async function runReserved(task: FlowTask, step: PlannedStep, name: ReservedStep): Promise<StepResult> {
  switch (name) {
    case 'hold':
      return 'hold';
    case 'wait': {
      const seconds = waitSeconds(step);
      if (seconds !== undefined) storeWait(task, seconds);
      return 'wait';
    }
    default:
      await changePower(task, powerTargets[name]);
      return 'done';
  }
}

const powerTargets = { power_on: 'power on', power_off: 'power off', reboot: 'rebooting' } as const;

// One child node at a time, each under its own lock
async function runOnChildren(task: FlowTask, phase: StepPhase, step: PlannedStep): Promise<'done'> {
  const { services, node } = task;
  const children = step.limit_child_node_execution ?? services.db.nodes.childrenOf(node.uuid);
  for (const uuid of children) {
    await withTask(task, uuid, async (child) => {
      if (child.node.parent_node !== node.uuid)
        throw fault('Invalid', { reason: `node ${uuid} is not a child of node ${node.uuid}` });
      await runOnChild(child, phase, step);
    });
  }
  return 'done';
}

async function runOnChild(child: FlowTask, phase: StepPhase, step: PlannedStep): Promise<void> {
  if (isReserved(step.step)) {
    await runReserved(child, step, step.step);
    return;
  }
  const own = ownStep(child, phase, step);
  if (own === undefined) throw missingStep(child, step);
  const outcome = await own.run(child.view, step.args ?? {});
  if (outcome === 'done' || child.services.config.conductor.permit_child_node_step_async_result) return;
  throw fault('Invalid', {
    reason: `step ${stepName(step)} is still running on child node ${child.node.uuid}, and the flow does not wait for its end; set [conductor] permit_child_node_step_async_result = true to allow this`,
  });
}
