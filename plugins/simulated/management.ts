// Sets the boot device of a simulated machine.
import { type BootDevice, defineManagement, fault, isJsonObject } from '#plugin-api';
import { changeBoot, simulatedProperties, readSystem, validateConnection } from './redfish.ts';

const TARGETS: ReadonlyMap<BootDevice, string> = new Map([
  ['pxe', 'Pxe'],
  ['disk', 'Hdd'],
]);

export const simulatedManagement = defineManagement({
  properties: simulatedProperties,
  validate: validateConnection,
  supportedBootDevices: async () => [...TARGETS.keys()],
  async getBootDevice(task) {
    const { Boot: boot } = await readSystem(task);
    const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = isJsonObject(boot)
      ? boot
      : {};
    const [device] = [...TARGETS].find(([, name]) => name === target) ?? [null];
    return { boot_device: enabled === 'Disabled' ? null : device, persistent: enabled === 'Continuous' };
  },
  async setBootDevice(task, device, persistent) {
    const target = TARGETS.get(device);
    if (target === undefined)
      throw fault('InvalidParameter', {
        name: 'boot_device',
        reason: `${device}. A simulated machine boots from ${[...TARGETS.keys()].join(' or ')}.`,
      });
    await changeBoot(task, {
      BootSourceOverrideTarget: target,
      BootSourceOverrideEnabled: persistent ? 'Continuous' : 'Once',
    });
  },
});
