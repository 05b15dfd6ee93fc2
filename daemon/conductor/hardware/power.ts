// An operator's power request.
import { writeFailure } from '../../db/write-failure.ts';
import { fault } from '../../model/faults.ts';
import type { PowerTarget } from '../../model/states/power-states.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import { changePower, refuseForbiddenOff } from './change-power.ts';
import type { HardwareServices } from './services.ts';
import { startTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

/** Starts a power action. Stores `target_power_state` at once, and the new `power_state` or the failure when the action ends. */
export function setPower(
  context: Call<HardwareServices>,
  uuid: string,
  { target, timeoutSeconds }: { readonly target: PowerTarget; readonly timeoutSeconds: number | undefined },
): Promise<void> {
  return startTask(context, uuid, async (task) => {
    if (permissionIn(task.node.provision_state, 'powerLocked') === true) {
      const { provision_state: state } = task.node;
      const advice = ' Wait until this work has ended, or abort it.';
      throw fault('InvalidStateRequested', { action: target, node: uuid, state, advice });
    }
    const { power } = task.driver;
    await power.validate(task.view);
    if (!power.supportedTargets.includes(target)) {
      throw fault('InvalidParameter', {
        name: 'target',
        reason: `the ${task.node.power_interface} power interface does not support "${target}". Supported: ${power.supportedTargets.join(', ')}`,
      });
    }
    refuseForbiddenOff(task.node, target);
    return async (running) => {
      try {
        await changePower(running, target, timeoutSeconds);
      } catch (error) {
        // `changePower` has recorded any other failure
        if (writeFailure(error) !== undefined) throw error;
      }
    };
  });
}
