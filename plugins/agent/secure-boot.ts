// Switches Secure Boot on when an instance that asks for it is deployed, and off when that instance is removed.
import { instanceWantsSecureBoot, stateFacts, type Task, type Work } from '#plugin-api';

/** Switches Secure Boot on when an instance is deployed; does nothing for an instance that is adopted. */
export const enableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'deploy', true);

/** Switches Secure Boot off when an instance is removed, because the next ramdisk might be unsigned. */
export const disableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'tear down', false);

async function setDuring(task: Task, work: Work, enabled: boolean): Promise<void> {
  if (stateFacts(task.node).work !== work || !instanceWantsSecureBoot(task)) return;
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
