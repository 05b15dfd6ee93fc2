// The fake management interface: a machine that boots from the network and from nothing else.
import { type BootDevice, defineManagement, fault } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const devices: readonly BootDevice[] = ['pxe'];

export const fakeManagement = defineManagement({
  properties: {},
  validate(task) {
    delayRange(task, 'management');
  },
  supportedBootDevices: () => devices,
  async getBootDevice(task) {
    await delay(task, 'management');
    return { boot_device: 'pxe', persistent: false };
  },
  async setBootDevice(task, device) {
    if (!devices.includes(device)) {
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `${device}. The fake management interface takes ${devices.join(', ')}.`,
      });
    }
    await delay(task, 'management');
  },
});
