// Sets a machine's boot mode (BIOS or UEFI) and secure boot.
import type { BootMode } from '../../model/machine/boot-modes.ts';
import { fault } from '../../model/faults.ts';
import { isUnstable } from '../../model/states/provision-states.ts';
import { type BackgroundAction, startManagementAction } from './background-action.ts';
import { operationOf } from './on-interface.ts';
import type { HardwareServices, HardwareTask } from './services.ts';
import type { Call } from '../tasks/services.ts';

/** Accepts the request; the outcome is in `boot_mode` or `last_error`. Throws InvalidState while work is under way. */
export function setBootMode(context: Call<HardwareServices>, uuid: string, mode: BootMode): Promise<void> {
  return change(context, uuid, (task) => ({
    action: `change boot mode to "${mode}"`,
    eventType: 'boot mode',
    async work() {
      const setMode = operationOf(task, 'management', 'setBootMode', 'set_boot_mode');
      if ((await task.driver.management.getBootMode?.(task.view)) !== mode) await setMode(mode);
      task.store({ boot_mode: mode });
    },
  }));
}

/**
 * Accepts the request; the outcome is in `secure_boot` or `last_error`. Throws InvalidState while work is under way.
 */
export function setSecureBoot(
  context: Call<HardwareServices>,
  uuid: string,
  enabled: boolean,
): Promise<void> {
  return change(context, uuid, (task) => ({
    action: `turn secure boot ${enabled ? 'on' : 'off'}`,
    eventType: 'secure boot',
    async work() {
      const setState = operationOf(task, 'management', 'setSecureBoot', 'set_secure_boot_state');
      if ((await task.driver.management.getSecureBoot?.(task.view)) !== enabled) await setState(enabled);
      task.store({ secure_boot: enabled });
    },
  }));
}

function change(
  context: Call<HardwareServices>,
  uuid: string,
  describe: (task: HardwareTask) => BackgroundAction,
): Promise<void> {
  return startManagementAction(context, uuid, (task) => {
    const { provision_state: state } = task.node;
    const action = describe(task);
    if (isUnstable(state)) {
      throw fault('InvalidState', {
        reason: `Cannot ${action.action} while node ${uuid} is in state "${state}". Try again when the work on it has ended.`,
      });
    }
    return action;
  });
}
