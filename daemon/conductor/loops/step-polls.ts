// Steps that wait without a ramdisk are asked for their end, and waits of a given time end.
import type { Node } from '../../model/node.ts';
import { classOf } from '../../model/provision-states.ts';
import { phaseOf } from '../phases/step-phases.ts';
import { withTaskIfFree } from '../run-task.ts';
import type { Services } from '../services.ts';
import { currentStep, keepHeard, waitsUntil } from '../steps/flow-record.ts';
import { ownStep } from '../steps/offered-steps.ts';
import { goOn, guarded } from '../steps/run-flow.ts';
import { NodeTask } from '../task.ts';
import { followWaitingNodes } from './follow-waiting-nodes.ts';
import type { StopLoop } from './periodic.ts';

const LOCKED_RETRY_MILLISECONDS = 1000;
const MAINTENANCE_RETRY_MILLISECONDS = 10_000;

export const pollSteps = (services: Services): StopLoop =>
  followWaitingNodes(services, {
    name: 'step polls',
    retry: LOCKED_RETRY_MILLISECONDS,
    delay: (node) => pollOf(new NodeTask(services, node, null))?.delay,
    act: (node) => pollOnce(services, node),
  });

interface Poll {
  readonly delay: number;
  readonly run: () => Promise<void>;
}

/** Undefined when the node's step ends by other means. */
function pollOf(task: NodeTask): Poll | undefined {
  const { node } = task;
  const phase = classOf(node.provision_state) === 'wait' ? phaseOf(node) : undefined;
  const step = phase && currentStep(node, phase.name);
  if (phase === undefined || step === undefined) return undefined;
  const until = waitsUntil(node);
  if (until !== undefined)
    return { delay: Math.max(0, until - task.now()), run: () => goOn(task, phase, 'done') };
  const poll = ownStep(task, phase.name, step)?.poll;
  if (poll === undefined) return undefined;
  return {
    delay: poll.intervalSeconds * 1000,
    run: () =>
      guarded(task, phase, async () => {
        const outcome = await poll.check(task, step.args ?? {});
        if (outcome === 'wait') keepHeard(task);
        else await goOn(task, phase, outcome);
      }),
  };
}

async function pollOnce(services: Services, { uuid, maintenance }: Node): Promise<number | undefined> {
  if (maintenance) return MAINTENANCE_RETRY_MILLISECONDS;
  const done = await withTaskIfFree(services, uuid, async (task) => {
    await pollOf(task)?.run();
    return true;
  });
  return done === true ? undefined : LOCKED_RETRY_MILLISECONDS;
}
