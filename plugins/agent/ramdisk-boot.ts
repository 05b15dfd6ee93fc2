// Boots the ramdisk on a machine and shuts it down again, for inspection, cleaning, servicing, deployment and rescue.
import {
  bootFromDisk,
  type BootSystem,
  fault,
  type KernelParameters,
  type Prepared,
  stateFacts,
  type Task,
} from '#plugin-api';
import { eraseSettings } from './erase-settings.ts';
import { enableSecureBoot } from './secure-boot.ts';

/** Validates the boot interface. Throws UnsupportedDriverExtension if it cannot boot ramdisks, or the error of its validation. */
export async function checkBoot(task: Task): Promise<void> {
  refuseWithoutRamdisks(task);
  await task.driver.boot.validate(task);
}

/** Like `checkBoot`, for the ramdisk that rescues the machine. */
export async function checkRescueBoot(task: Task): Promise<void> {
  refuseWithoutRamdisks(task);
  const { boot } = task.driver;
  await (boot.validateRescue === undefined ? boot.validate(task) : boot.validateRescue(task));
}

function refuseWithoutRamdisks(task: Task): void {
  const { boot } = task.driver;
  if (boot.prepareRamdisk === undefined)
    throw fault('UnsupportedDriverExtension', {
      driver: task.node.driver,
      extension: `booting a ramdisk through boot interface ${task.node.boot_interface ?? ''}; choose another boot_interface`,
    });
}

const staysOn = ({ node, driver }: Task): boolean =>
  node.disable_power_off || driver.power.throughAgent === true;

/** Makes the machine boot: powers it on, or reboots it if `stop` leaves it on. */
export const start = (task: Task): Promise<void> => task.setPower(staysOn(task) ? 'rebooting' : 'power on');

/** Powers the machine off, unless its node has disable_power_off or its power interface works through the agent. */
export async function stop(task: Task): Promise<void> {
  if (!staysOn(task)) await task.setPower('power off');
}

/** Powers the machine off like `stop`, and sets its next boot to the ramdisk. Throws like `checkBoot`. */
export async function prepareRamdisk(
  task: Task,
  parameters: KernelParameters = task.ramdisk.parameters,
): Promise<void> {
  await checkBoot(task);
  await stop(task);
  await task.driver.boot.prepareRamdisk?.(task, parameters);
}

export async function prepareCleaning(task: Task): Promise<Prepared> {
  await task.update({
    driver_internal_info: { ...task.node.driver_internal_info, ...eraseSettings(task) },
  });
  if (task.ramdisk.isRunning) return 'ready';
  await prepareRamdisk(task);
  await start(task);
  return 'wait';
}

/**
 * Powers the machine off and removes the ramdisk from its boot configuration. After a failed cleaning, the machine stays on, so
 * that an operator can examine it. If the next operation can use the running ramdisk, does nothing.
 */
export async function tearDownCleaning(task: Task): Promise<void> {
  if (task.ramdisk.isRunning) return;
  if (stateFacts(task.node).failed === null) await stop(task);
  await task.driver.boot.cleanUpRamdisk?.(task);
}

export async function prepareService(task: Task): Promise<Prepared> {
  await checkBoot(task);
  await stop(task);
  await task.driver.boot.cleanUpInstance?.(task);
  await task.driver.boot.prepareRamdisk?.(task, task.ramdisk.parameters);
  await start(task);
  return 'wait';
}

export async function tearDownService(task: Task): Promise<void> {
  await stop(task);
  await task.driver.boot.cleanUpRamdisk?.(task);
  await prepareInstance(task);
  await start(task);
}

/** What the machine boots at every boot, for an instance that is not on a disk; null for one on a disk. */
export async function instanceSystem(task: Task): Promise<BootSystem | null> {
  const { deploy, storage } = task.driver;
  return (await deploy.instanceSystem?.(task)) ?? (await storage.instanceSystem?.(task)) ?? null;
}

/** Makes the machine boot its instance from now on. */
export async function prepareInstance(task: Task): Promise<void> {
  const { boot } = task.driver;
  const system = await instanceSystem(task);
  if (system === null && boot.prepareInstance === undefined) await bootFromDisk(task);
  else if (system === null) await boot.prepareInstance?.(task);
  else await boot.bootSystem?.(task, system, true);
  await enableSecureBoot(task);
}
