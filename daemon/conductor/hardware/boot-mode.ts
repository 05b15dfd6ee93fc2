// Sets a machine's boot mode (BIOS or UEFI) and secure boot.
import type { BootMode } from '../../model/machine/boot-modes.ts';
import { fault } from '../../model/faults.ts';
import { isUnstable } from '../../model/states/provision-states.ts';
import { type Attempt, startManagement } from '../tasks/attempt.ts';
import type { Caller, Services } from '../services.ts';
import type { NodeTask } from '../tasks/task.ts';
import { unsupported } from './unsupported.ts';

/** Accepts the mode; the outcome is in `boot_mode` or `last_error`. Throws InvalidState while work is under way. */
export function setBootMode(services: Services, caller: Caller, uuid: string, mode: BootMode): Promise<void> {
  return change(services, caller, uuid, (task) => ({
    action: `change boot mode to "${mode}"`,
    eventType: 'boot mode',
    async work() {
      const { management } = task.driver;
      if (management.setBootMode === undefined) throw unsupported(task, 'set_boot_mode');
      if ((await management.getBootMode?.(task.view)) !== mode) await management.setBootMode(task.view, mode);
      task.store({ boot_mode: mode });
    },
  }));
}

/** Accepts the value; the outcome is in `secure_boot` or `last_error`. Throws InvalidState while work is under way. */
export function setSecureBoot(
  services: Services,
  caller: Caller,
  uuid: string,
  enabled: boolean,
): Promise<void> {
  return change(services, caller, uuid, (task) => ({
    action: `turn secure boot ${enabled ? 'on' : 'off'}`,
    eventType: 'secure boot',
    async work() {
      const { management } = task.driver;
      if (management.setSecureBoot === undefined) throw unsupported(task, 'set_secure_boot_state');
      if ((await management.getSecureBoot?.(task.view)) !== enabled)
        await management.setSecureBoot(task.view, enabled);
      task.store({ secure_boot: enabled });
    },
  }));
}

function change(
  services: Services,
  caller: Caller,
  uuid: string,
  described: (task: NodeTask) => Attempt,
): Promise<void> {
  return startManagement(services, caller, uuid, (task) => {
    const { provision_state: state } = task.node;
    const asked = described(task);
    if (isUnstable(state)) {
      throw fault('InvalidState', {
        reason: `Cannot ${asked.action} while node ${uuid} is in state "${state}". Try again when the work on it has ended.`,
      });
    }
    return asked;
  });
}
