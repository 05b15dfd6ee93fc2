// The fake management interface: a machine that only boots from the network and has two indicator LEDs.
import { type BootDevice, defineManagement, fault, type Indicator } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const devices: readonly BootDevice[] = ['pxe'];

const indicators: readonly Indicator[] = [
  { component: 'chassis', name: 'led-0', readonly: true, states: ['off', 'on'] },
  { component: 'system', name: 'led', readonly: false, states: ['blinking', 'off', 'on'] },
];

export const fakeManagement = defineManagement({
  properties: {},
  validate(task) {
    delayRange(task, 'management');
  },
  supportedBootDevices: async () => devices,
  async getBootDevice(task) {
    await delay(task, 'management');
    return { boot_device: 'pxe', persistent: false };
  },
  async setBootDevice(task, device) {
    if (!devices.includes(device)) {
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `${device}. The fake management interface supports ${devices.join(', ')}.`,
      });
    }
    await delay(task, 'management');
  },
  async listIndicators(task) {
    await delay(task, 'management');
    return indicators;
  },
  async getIndicatorState(task) {
    await delay(task, 'management');
    return 'on';
  },
});
