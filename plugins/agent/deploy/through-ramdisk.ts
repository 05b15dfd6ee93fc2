// The operations shared by the deploy interfaces that clean and service machines with the agent's ramdisk.
import type { DeployInterface, Task } from '#plugin-api';
import {
  instanceSystem,
  prepareCleaning,
  prepareInstance,
  prepareService,
  stop,
  tearDownCleaning,
  tearDownService,
} from '../ramdisk-boot.ts';
import { disableSecureBoot } from '../secure-boot.ts';

export const throughRamdisk: Omit<DeployInterface, 'validate'> = {
  properties: {},
  offersAgentSteps: ['clean', 'service'],
  cleanUp: withdrawBoot,
  async tearDown(task) {
    await stop(task);
    await withdrawBoot(task);
    await disableSecureBoot(task);
  },
  takeOver: keepServing,
  prepareCleaning,
  tearDownCleaning,
  prepareService,
  tearDownService,
};

/** For an adopted instance that is not on the disk, serves the system that it boots. An instance on the disk needs nothing. */
async function keepServing(task: Task): Promise<void> {
  if ((await instanceSystem(task)) !== null) await prepareInstance(task);
}

async function withdrawBoot(task: Task): Promise<void> {
  await task.driver.boot.cleanUpRamdisk?.(task);
  await task.driver.boot.cleanUpInstance?.(task);
}
