// The boot interface `redfish-https`: the machine's UEFI downloads a CD image from the URL that its BMC tells it.
import { defineBoot, setExpectedBootMode, type Task } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bootFrom, setBootDevice } from '../management/boot-device.ts';
import { bootPlace, bootTargets, offeredTargets } from '../management/boot-request.ts';
import { cdBootProperties, powerOff, ramdiskCd, systemCd, unsupported, validateCdBoot } from './cd-boot.ts';

export const httpsBoot = defineBoot({
  properties: cdBootProperties,
  systems: ['kernel', 'iso'],
  validate: validateCdBoot,
  validateMachine: refuseWithoutHttpBoot,
  async prepareRamdisk(task, parameters) {
    await refuseWithoutHttpBoot(task);
    await powerOff(task);
    await bootFromUrl(task, await ramdiskCd(task, parameters), false);
  },
  cleanUpRamdisk: (task) => task.boot.withdraw(),
  async bootSystem(task, system, everyBoot) {
    await refuseWithoutHttpBoot(task);
    await powerOff(task);
    await bootFromUrl(task, await systemCd(task, system), everyBoot);
  },
  async prepareInstance(task) {
    await task.boot.withdraw();
    await setBootDevice(task, 'disk', true);
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
    throw unsupported(task, `the BMC does not offer UefiHttp; it offers ${offered.join(', ')}`);
  if (!Object.hasOwn(boot, 'HttpBootUri'))
    throw unsupported(task, 'the BMC takes no URL to boot from (HttpBootUri)');
}
