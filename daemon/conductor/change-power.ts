// One power action on a machine, recorded on its node: target first, outcome after.
import { fault, reasonOf } from '../model/faults.ts';
import type { Node, NodeChanges } from '../model/node.ts';
import { isSoft, type PowerTarget, resultOf } from '../model/power-states.ts';
import { isFailure } from '../model/provision-states.ts';
import { withoutAgent } from './agent-traces.ts';
import type { NodeTask } from './task.ts';

/**
 * Brings the machine to `target` through its power interface. On failure `target_power_state` is cleared, the failure
 * recorded and thrown again.
 */
export async function changePower(
  task: NodeTask,
  target: PowerTarget,
  timeoutSeconds?: number,
): Promise<void> {
  refuseForbiddenOff(task.node, target);
  const result = resultOf(target);
  // at once: who asked for it sees it before the machine was spoken to
  task.store({ target_power_state: result, ...clearedError(task.node), ...forgetAgent(task.node, target) });
  try {
    if (!(await alreadyThere(task, target))) {
      await task.driver.power.setPowerState(task, target, timeoutSeconds ?? defaultTimeout(task, target));
      task.log.info({ target, power_state: result }, 'power state changed');
    }
    task.store({ power_state: result, target_power_state: null });
  } catch (error) {
    const reason = `Failed to change power state to "${target}": ${reasonOf(error)}`;
    task.log.error({ target, reason }, 'power action failed');
    task.store({
      target_power_state: null,
      last_error: task.recordError({ event: reason, eventType: 'power' }),
    });
    throw error;
  }
}

/** Throws PowerStateFailure when the machine may not be powered off at all. */
export function refuseForbiddenOff(node: Node, target: PowerTarget): void {
  if (node.disable_power_off && resultOf(target) === 'power off') {
    throw fault('PowerStateFailure', {
      target,
      node: node.uuid,
      reason: 'disable_power_off is set on the node',
    });
  }
}

// Reboots always act; "on" and "off" only when the machine is not there yet
async function alreadyThere(task: NodeTask, target: PowerTarget): Promise<boolean> {
  if (target === 'rebooting' || target === 'soft rebooting') return false;
  const current = await task.driver.power.getPowerState(task);
  return current === resultOf(target);
}

/** For work that begins. In a failed state the error says why the node is in it, and stays. */
export const clearedError = (node: Node): NodeChanges =>
  isFailure(node.provision_state) ? {} : { last_error: null };

// The ramdisk's agent does not outlive a power off or a reboot
const forgetAgent = (node: Node, target: PowerTarget): NodeChanges =>
  target === 'power on' ? {} : withoutAgent(node);

function defaultTimeout(task: NodeTask, target: PowerTarget): number {
  const { power_state_change_timeout, soft_power_off_timeout } = task.services.config.conductor;
  return isSoft(target) ? soft_power_off_timeout : power_state_change_timeout;
}
