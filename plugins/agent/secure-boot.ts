// Secure Boot for the time of an instance that asks for it.
import { instanceWantsSecureBoot, type Task } from '#plugin-api';

/** When an instance is deployed: it boots with Secure Boot. An instance that is there already is left as it is. */
export const enableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'deploying', true);

/** When an instance is removed: the next ramdisk may be one that nobody signed. */
export const disableSecureBoot = (task: Task): Promise<void> => setDuring(task, 'deleting', false);

async function setDuring(task: Task, state: 'deploying' | 'deleting', enabled: boolean): Promise<void> {
  if (task.node.provision_state !== state || !instanceWantsSecureBoot(task)) return;
  const { management } = task.driver;
  if (management.setSecureBoot === undefined) {
    task.log.warn(
      { interface: task.node.management_interface },
      `the management interface cannot switch Secure Boot ${enabled ? 'on' : 'off'}; the machine keeps what its firmware is set to`,
    );
    return;
  }
  if ((await management.getSecureBoot?.(task)) !== enabled) await management.setSecureBoot(task, enabled);
}
