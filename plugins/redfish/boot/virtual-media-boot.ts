// The boot interface `redfish-virtual-media`: the machine boots from a CD image in a virtual drive of its BMC.
import { defineBoot, setExpectedBootMode, type Task } from '#plugin-api';
import {
  attachVirtualMedia,
  detachVirtualMedia,
  mediaProperties,
  protocolOf,
} from '../management/media/virtual-media.ts';
import { setBootDevice } from '../management/boot-device.ts';
import { cdBootProperties, powerOff, ramdiskCd, systemCd, validateCdBoot } from './cd-boot.ts';

export const virtualMediaBoot = defineBoot({
  properties: { ...cdBootProperties, ...mediaProperties },
  systems: ['kernel', 'iso'],
  validate(task) {
    validateCdBoot(task);
    protocolOf(task);
  },
  async prepareRamdisk(task, parameters) {
    await powerOff(task);
    await bootFromCd(task, await ramdiskCd(task, parameters), false);
  },
  async cleanUpRamdisk(task) {
    // the rescue system keeps running, perhaps from the CD, until the node is unrescued
    if (task.node.provision_state === 'rescuing') return;
    await powerOff(task);
    await emptyDrive(task);
  },
  async bootSystem(task, system, everyBoot) {
    await powerOff(task);
    await bootFromCd(task, await systemCd(task, system), everyBoot);
  },
  async prepareInstance(task) {
    await emptyDrive(task);
    await setBootDevice(task, 'disk', true);
  },
  cleanUpInstance: emptyDrive,
});

async function bootFromCd(task: Task, url: string, everyBoot: boolean): Promise<void> {
  await attachVirtualMedia(task, 'cdrom', url);
  await setExpectedBootMode(task);
  await setBootDevice(task, 'cdrom', everyBoot);
}

async function emptyDrive(task: Task): Promise<void> {
  await detachVirtualMedia(task, ['cdrom']);
  await task.boot.withdraw();
}
