// Whether an iDRAC can change storage at once: for about a minute after the machine was powered on, its controllers are not
// ready.
import type { Task } from '#plugin-api';
import { converse, hasRamdisk, textIn } from '#plugin-api/redfish';
import { callService } from '../dell-services.ts';

/** `mayPowerOn`: whether a machine that is off is powered on first. The controllers of a machine that is off are never ready. */
export async function isRealTimeReady(
  task: Task,
  { mayPowerOn }: { readonly mayPowerOn: boolean },
): Promise<boolean> {
  const isOff =
    mayPowerOn && !hasRamdisk(task) && (await task.driver.power.getPowerState(task)) === 'power off';
  if (isOff) await task.setPower('power on');
  const { body } = await converse(task, { operation: 'Reading whether storage can be changed' }, (bmc) =>
    callService(bmc, task, { service: 'DellLCService', action: 'GetRemoteServicesAPIStatus', body: {} }),
  );
  return textIn(body['RTStatus']) === 'Ready';
}
