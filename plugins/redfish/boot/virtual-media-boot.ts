// The boot interface `redfish-virtual-media`: the machine boots from a CD image in a virtual drive of its BMC.
import {
  bootFromDisk,
  defineBoot,
  type RamdiskPurpose,
  setExpectedBootMode,
  stateFacts,
  type Task,
} from '#plugin-api';
import {
  attachVirtualMedia,
  detachVirtualMedia,
  mediaProperties,
  protocolOf,
} from '../management/media/virtual-media.ts';
import { setBootDevice } from '../management/boot-device.ts';
import {
  cdBootProperties,
  checkSystemCd,
  powerOffForCd,
  ramdiskCd,
  systemCd,
  validateCdBoot,
} from './cd-boot.ts';

export const virtualMediaBoot = defineBoot({
  properties: { ...cdBootProperties, ...mediaProperties },
  systems: ['kernel', 'iso'],
  validate: (task) => validate(task),
  validateRescue: (task) => validate(task, 'rescue'),
  checkSystem: checkSystemCd,
  async prepareRamdisk(task, parameters) {
    await powerOffForCd(task);
    await bootFromCd(task, await ramdiskCd(task, parameters), false);
  },
  async cleanUpRamdisk(task) {
    // the rescue system keeps running, perhaps from the CD, until the node is unrescued; so does a ramdisk that the next work uses
    if (stateFacts(task.node).work === 'rescue' || task.ramdisk.isRunning) return;
    await powerOffForCd(task);
    await emptyDrive(task);
  },
  async bootSystem(task, system, everyBoot) {
    await powerOffForCd(task);
    await bootFromCd(task, await systemCd(task, system), everyBoot);
  },
  async prepareInstance(task) {
    await emptyDrive(task);
    await bootFromDisk(task);
  },
  cleanUpInstance: emptyDrive,
});

async function validate(task: Task, purpose?: RamdiskPurpose): Promise<void> {
  await validateCdBoot(task, purpose);
  protocolOf(task);
}

async function bootFromCd(task: Task, url: string, everyBoot: boolean): Promise<void> {
  await attachVirtualMedia(task, 'cdrom', url);
  await setExpectedBootMode(task);
  await setBootDevice(task, 'cdrom', everyBoot);
}

async function emptyDrive(task: Task): Promise<void> {
  await detachVirtualMedia(task, ['cdrom']);
  await task.boot.withdraw();
}
