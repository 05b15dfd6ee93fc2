// enroll -> verifying -> manageable: checks that the BMC answers, and reads the machine's power state.
import { planOffered } from '../../../model/steps/planned-steps.ts';
import { observeMachine } from '../../hardware/observe-machine.ts';
import { flowRecord } from '../steps/flow-record.ts';
import { offeredSteps } from '../steps/offered-steps.ts';
import type { Phase } from '../steps/phase.ts';
import { guarded, runPlanned } from '../steps/run-flow.ts';
import type { NodeTask } from '../../tasks/task.ts';

export const verification: Phase = {
  name: 'verify',
  plan: (task) => planOffered('verify', offeredSteps(task, 'verify')),
  async finish(task) {
    const seen = await observeMachine(task);
    task.transition('done', { changes: { ...flowRecord(task.node, 'verify'), ...seen } });
  },
  async fail(task, reason) {
    const error = task.recordError({ event: `Failed to verify the node: ${reason}`, eventType: 'verify' });
    task.transition('fail', { error, changes: flowRecord(task.node, 'verify') });
  },
};

/** Runs in `verifying`; ends in `manageable`, or back in `enroll` with the reason in `last_error`. */
export const verify = (task: NodeTask): Promise<void> =>
  guarded(task, verification, async () => {
    await task.driver.power.validate(task.view);
    task.store({ power_state: await task.driver.power.getPowerState(task.view) });
    await runPlanned(task, verification);
  });
