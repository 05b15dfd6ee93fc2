// enroll -> verifying -> manageable: checks that the BMC answers, reads the machine's power state, and runs the verify steps.
import { planAvailable } from '../../../model/steps/planned-steps.ts';
import { clearFlow } from '../../../model/steps/clear-flow.ts';
import { cacheHardwareState } from '../../hardware/cache-hardware-state.ts';
import { availableSteps } from '../steps/available-steps.ts';
import type { Phase } from '../steps/phase.ts';
import { enterFlow, planAndRun } from '../steps/run-flow.ts';
import { validateWithMachine } from '../validate-machine.ts';
import type { FlowTask } from '../services.ts';

export const verification: Phase = {
  name: 'verify',
  plan: (task) => planAvailable('verify', availableSteps(task, 'verify')),
  async finish(task) {
    const seen = await cacheHardwareState(task);
    return { event: 'done', changes: { ...clearFlow(task.node, 'verify'), ...seen } };
  },
  async fail(task, reason) {
    const error = task.recordError({ event: `Failed to verify the node: ${reason}`, eventType: 'verify' });
    task.transition('fail', { error, changes: clearFlow(task.node, 'verify') });
  },
};

/** Runs in `verifying`; ends in `manageable`, or back in `enroll` with the reason in `last_error`. */
export const verify = (task: FlowTask): Promise<void> =>
  enterFlow(task, verification, async () => {
    await validateWithMachine(task, 'power');
    const power_state = await task.driver.power.getPowerState(task.view);
    await planAndRun(task, verification, { power_state });
  });
