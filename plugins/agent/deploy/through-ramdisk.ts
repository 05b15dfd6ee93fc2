// What the deploy interfaces that clean and service machines with the agent's ramdisk have in common.
import type { DeployInterface, Task } from '#plugin-api';
import {
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
  takeOver: prepareInstance,
  prepareCleaning,
  tearDownCleaning,
  prepareService,
  tearDownService,
};

async function withdrawBoot(task: Task): Promise<void> {
  await task.driver.boot.cleanUpRamdisk?.(task);
  await task.driver.boot.cleanUpInstance?.(task);
}
