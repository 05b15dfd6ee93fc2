// enroll -> verifying -> manageable: the BMC answers, and the machine's power state becomes known.
import { reasonOf } from '../../model/faults.ts';
import { observeMachine } from '../observe-machine.ts';
import type { NodeTask } from '../task.ts';

/** Runs in `verifying`; ends in `manageable`, or back in `enroll` with the reason in `last_error`. */
export async function verify(task: NodeTask): Promise<void> {
  try {
    await task.driver.power.validate(task);
    const power_state = await task.driver.power.getPowerState(task);
    const observed = await observeMachine(task);
    task.transition('done', { changes: { power_state, ...observed } });
  } catch (error) {
    const event = `Failed to verify the node: ${reasonOf(error)}`;
    task.transition('fail', { error: task.recordError({ event, eventType: 'verify' }) });
  }
}
