// The `noop` management interface: for machines whose boot order is fixed by hand, network first.
import { type BootDevice, defineManagement, fault } from '#plugin-api';

const devices: readonly BootDevice[] = ['pxe', 'disk'];

export const noopManagement = defineManagement({
  properties: {},
  validate() {},
  supportedBootDevices: async () => devices,
  getBootDevice: async () => ({ boot_device: 'pxe', persistent: true }),
  async setBootDevice(task, device, persistent) {
    if (!devices.includes(device)) {
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `${device}. The noop management interface supports ${devices.join(', ')}.`,
      });
    }
    task.log.info(
      { boot_device: device, persistent },
      'The boot device was not changed: management_interface is noop',
    );
  },
});
