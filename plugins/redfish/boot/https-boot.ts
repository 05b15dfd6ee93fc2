// The boot interface `redfish-https`: the machine's UEFI downloads a CD image from the URL that its BMC tells it.
import { bootFromDisk, defineBoot, setExpectedBootMode, type Task } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bootFrom } from '../management/boot-device.ts';
import { bootPlace, bootTargets, offeredTargets } from '../management/boot-request.ts';
import {
  cdBootProperties,
  checkSystemCd,
  powerOffForCd,
  ramdiskCd,
  systemCd,
  cdUnsupported,
  validateCdBoot,
} from './cd-boot.ts';

export const httpsBoot = defineBoot({
  properties: cdBootProperties,
  systems: ['kernel', 'iso'],
  validate: (task) => validateCdBoot(task),
  validateRescue: (task) => validateCdBoot(task, 'rescue'),
  checkSystem: checkSystemCd,
  validateMachine: refuseWithoutHttpBoot,
  async prepareRamdisk(task, parameters) {
    await refuseWithoutHttpBoot(task);
    await powerOffForCd(task);
    await bootFromUrl(task, await ramdiskCd(task, parameters), false);
  },
  cleanUpRamdisk: (task) => task.boot.withdraw(),
  async bootSystem(task, system, everyBoot) {
    await refuseWithoutHttpBoot(task);
    await powerOffForCd(task);
    await bootFromUrl(task, await systemCd(task, system), everyBoot);
  },
  async prepareInstance(task) {
    await task.boot.withdraw();
    await bootFromDisk(task);
  },
  cleanUpInstance: (task) => task.boot.withdraw(),
});

async function bootFromUrl(task: Task, url: string, isPersistent: boolean): Promise<void> {
  await setExpectedBootMode(task);
  await bootFrom(task, 'uefihttp', { isPersistent, url });
}

/** Throws UnsupportedDriverExtension. Called before the power is changed. */
async function refuseWithoutHttpBoot(task: Task): Promise<void> {
  const { boot } = await converse(task, { operation: 'Reading the boot devices' }, (bmc) => bootPlace(bmc));
  const offered = offeredTargets(boot);
  if (offered.length > 0 && !offered.includes(bootTargets.uefihttp))
    throw cdUnsupported(task, `the BMC does not offer UefiHttp; it offers ${offered.join(', ')}`);
  if (!Object.hasOwn(boot, 'HttpBootUri'))
    throw cdUnsupported(task, 'the BMC takes no URL to boot from (HttpBootUri)');
}
