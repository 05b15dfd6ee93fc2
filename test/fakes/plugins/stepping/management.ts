// Steps for verification and cleaning, which the BMC carries out without a ramdisk.
import { defineManagement } from '#plugin-api';
import { scripted } from './script.ts';

export const steppingManagement = defineManagement({
  properties: {},
  validate() {},
  steps: {
    set_clock: scripted('set_clock', { priorities: { verify: 5, clean: 30 }, requiresRamdisk: false }),
    check_clock: scripted('check_clock', { priorities: { verify: 7 } }),
    clear_jobs: scripted('clear_jobs', { priorities: { verify: 0, clean: 0 }, requiresRamdisk: false }),
  },
  supportedBootDevices: async () => ['pxe'],
  getBootDevice: async () => ({ boot_device: 'pxe', persistent: false }),
  async setBootDevice() {},
});
