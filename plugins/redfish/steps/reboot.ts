// Reboots a machine in the middle of a step that is polled.
import { Fault, type Task } from '#plugin-api';

/** Whether a ramdisk is running, into which the machine must boot again. */
export const hasRamdisk = ({ node }: Task): boolean => node.driver_internal_info['agent_url'] !== undefined;

export async function rebootMachine(task: Task, intoRamdisk: boolean): Promise<void> {
  if (intoRamdisk) await task.driver.boot.prepareRamdisk?.(task, task.ramdisk.parameters);
  const isOff = (await task.driver.power.getPowerState(task)) === 'power off';
  await task.setPower(isOff ? 'power on' : 'rebooting');
}

/** Whether the BMC does not answer, which it may not while the machine or the BMC itself restarts. */
export const isSilent = (error: unknown): boolean =>
  error instanceof Fault && ['BmcFailure', 'BmcNotReady'].includes(error.code);
