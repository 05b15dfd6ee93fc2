// What nodes wait for: the reasons that `NodeTask.wait` stores. Each completes the sentence "The node waits for ...".
import type { Node } from '../../model/records/node.ts';
import type { Awaited } from '../../model/states/node-wait.ts';
import { type PlannedStep, waitSeconds } from '../../model/steps/planned-steps.ts';
import { stepName } from '../../model/steps/step-lists.ts';
import type { StepPhase } from '../../model/steps/step-phases.ts';
import type { Step } from '../../plugin-api/index.ts';
import type { NodeTask } from '../tasks/task.ts';
import { ownStep } from './steps/available-steps.ts';
import { currentStep } from './steps/flow-record.ts';

export const rescueSystem: Awaited = { for: 'agent', reason: 'the first heartbeat of the rescue system' };

export const inspectionData: Awaited = {
  for: 'agent',
  reason: "inspection data from the machine's ramdisk",
};

export const inspectionService: Awaited = {
  for: 'service',
  reason: 'inspection data from the inspection service',
};

/** `about`: what follows the heartbeat, as the end of the sentence. */
export const heartbeat = (node: Node, about = ''): Awaited => ({
  for: 'agent',
  reason: `${beatOf(node)}${about}`,
});

const beatOf = ({ driver_internal_info: { agent_url: url } }: Node): string =>
  url === undefined
    ? "the first heartbeat of the agent in the machine's ramdisk"
    : `the next heartbeat of the agent at ${url}`;

/** Why a flow waits in its current step: the outcome of the step; `reboot`: the machine reboots for the step. */
export type StepWait = 'wait' | 'wait for agent' | 'not yet' | 'hold' | 'reboot';

export function awaitedInStep(task: NodeTask, phase: StepPhase, why: StepWait): Awaited {
  const { node } = task;
  const step = currentStep(node, phase);
  if (step === undefined) return heartbeat(node);
  const name = stepName(step);
  switch (why) {
    case 'wait':
      return stepEnd(node, step, ownStep(task, phase, step));
    case 'wait for agent':
      return { for: 'agent', reason: `the end of step ${name}, which the agent runs` };
    case 'hold':
      return { for: 'operator', reason: `an operator, who ends step ${name} with the verb unhold` };
    case 'reboot':
      return {
        for: 'agent',
        reason: `the first heartbeat of the agent after the reboot for step ${name}`,
      };
    default:
      return heartbeat(node, `, after which it is given step ${name}`);
  }
}

/** `own`: the driver's own step that is meant, if any. */
function stepEnd(node: Node, step: PlannedStep, own: Step | undefined): Awaited {
  const name = stepName(step);
  const seconds = step.step === 'wait' ? waitSeconds(step) : undefined;
  if (seconds !== undefined)
    return { for: 'timer', reason: `the end of step ${name}, which lasts ${seconds} s` };
  if (own?.poll !== undefined) return { for: 'bmc', reason: polled(node, name, own.poll.intervalSeconds) };
  return own?.report === undefined
    ? heartbeat(node, `, which ends step ${name}`)
    : { for: 'agent', reason: `the report of the installer that step ${name} has booted` };
}

const MOST_TASKS = 3;

function polled(
  { driver_internal_info: { bmc_tasks: tasks = [] } }: Node,
  step: string,
  seconds: number,
): string {
  const named = tasks.slice(0, MOST_TASKS).join(', ');
  const more = tasks.length > MOST_TASKS ? ` and ${tasks.length - MOST_TASKS} more` : '';
  const ofBmc = tasks.length === 0 ? '' : ` (BMC ${tasks.length === 1 ? 'task' : 'tasks'} ${named}${more})`;
  return `the end of step ${step}${ofBmc}, for which the driver asks every ${seconds} s`;
}
