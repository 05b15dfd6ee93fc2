// Switches Secure Boot on when an instance that asks for it is deployed, and off when that instance is removed.
import { instanceWantsSecureBoot, type Task } from '#plugin-api';

/** Switches Secure Boot on when an instance is deployed; does nothing for an instance that is adopted. */
export const enableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'deploying', true);

/** Switches Secure Boot off when an instance is removed, because the next ramdisk might be unsigned. */
export const disableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'deleting', false);

async function setDuring(task: Task, state: 'deploying' | 'deleting', enabled: boolean): Promise<void> {
  if (task.node.provision_state !== state || !instanceWantsSecureBoot(task)) return;
  const { management } = task.driver;
  if (management.setSecureBoot === undefined) {
    task.log.warn(
      { interface: task.node.management_interface },
      `the management interface cannot switch Secure Boot ${enabled ? 'on' : 'off'}; the setting of the firmware does not change`,
    );
    return;
  }
  if ((await management.getSecureBoot?.(task)) !== enabled) await management.setSecureBoot(task, enabled);
}
