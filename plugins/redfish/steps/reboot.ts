// Reboots a machine in the middle of a step that is polled.
import { Fault, type JsonObject, type Task } from '#plugin-api';

/** How far the reboot of a step has come. It is stored, so that it survives a restart of the daemon. */
export interface Reboot extends JsonObject {
  readonly stage: 'begun' | 'done';
  /** When the reboot began, in milliseconds since the epoch. */
  readonly since: number;
}

/** An interrupted reboot may never have reset the machine. If the machine is on after this time, it is rebooted again. */
const BOOTED_SECONDS = 600;

/** Whether a ramdisk is running, into which the machine must boot again. */
export const hasRamdisk = ({ node }: Task): boolean => node.driver_internal_info['agent_url'] !== undefined;

/** Reboots the machine. `keep` is called before and after, and stores the stage of the reboot in the state of the step. */
export async function rebootOnce(
  task: Task,
  intoRamdisk: boolean,
  keep: (reboot: Reboot) => Promise<void>,
): Promise<void> {
  const since = task.clock.now();
  await keep({ stage: 'begun', since });
  await rebootMachine(task, intoRamdisk);
  await keep({ stage: 'done', since });
}

/**
 * Whether the reboot must be repeated: a daemon that was killed during the reboot has left the machine off, or may not have reset
 * it. False while the BMC does not answer or is not ready.
 */
export async function isUnfinished(task: Task, { stage, since }: Reboot): Promise<boolean> {
  if (stage === 'done') return false;
  try {
    if ((await task.driver.power.getPowerState(task)) === 'power off') return true;
  } catch (error) {
    if (isSilent(error)) return false;
    throw error;
  }
  return task.clock.now() - since >= BOOTED_SECONDS * 1000;
}

export async function rebootMachine(task: Task, intoRamdisk: boolean): Promise<void> {
  if (intoRamdisk) await task.driver.boot.prepareRamdisk?.(task, task.ramdisk.parameters);
  const isOff = (await task.driver.power.getPowerState(task)) === 'power off';
  await task.setPower(isOff ? 'power on' : 'rebooting');
}

/** Whether the BMC does not answer or is not ready, as it may be while the machine or the BMC itself restarts. */
export const isSilent = (error: unknown): boolean =>
  error instanceof Fault && ['BmcFailure', 'BmcNotReady'].includes(error.code);
