// Polls waiting driver steps that need no heartbeat, and ends `wait` steps when their time is over.
import { classOf } from '../../model/states/provision-states.ts';
import { awaitedInStep } from '../flows/awaited.ts';
import { phaseOf } from '../flows/phases/step-phases.ts';
import { currentStep, storeProgress, waitLeft } from '../flows/steps/flow-record.ts';
import { ownStep } from '../flows/steps/available-steps.ts';
import { enterFlow, resumeAfter } from '../flows/steps/run-flow.ts';
import { NodeTask } from '../tasks/task.ts';
import { followWaitingNodes } from './follow-waiting-nodes.ts';
import type { StopLoop } from '../../lib/periodic.ts';
import { LOCKED_RETRY, whenFree } from './when-free.ts';
import type { LoopServices, LoopTask } from './services.ts';

export const pollSteps = (services: LoopServices): StopLoop =>
  followWaitingNodes(services, {
    name: 'step polls',
    retry: LOCKED_RETRY,
    delay: (node) => pollOf(new NodeTask({ services, caller: null }, node))?.delay,
    act: (node) => whenFree(services, node, async (task) => pollOf(task)?.run()),
  });

interface Poll {
  readonly delay: number;
  readonly run: () => Promise<void>;
}

/** Undefined when the node's step ends in some other way, such as a heartbeat. */
function pollOf(task: LoopTask): Poll | undefined {
  const { node } = task;
  const phase = classOf(node.provision_state) === 'wait' ? phaseOf(node) : undefined;
  const step = phase && currentStep(node, phase.name);
  if (phase === undefined || step === undefined) return undefined;
  const left = waitLeft(node, task.services.clock);
  if (left !== undefined)
    return {
      delay: Math.max(0, left),
      run: () => enterFlow(task, phase, () => resumeAfter(task, phase, 'done')),
    };
  const poll = ownStep(task, phase.name, step)?.poll;
  if (poll === undefined) return undefined;
  return {
    delay: poll.intervalSeconds * 1000,
    run: () =>
      enterFlow(task, phase, async () => {
        const outcome = await poll.check(task.view, step.args ?? {});
        if (outcome === 'wait') storeProgress(task, awaitedInStep(task, phase.name, 'wait'));
        else await resumeAfter(task, phase, outcome);
      }),
  };
}
