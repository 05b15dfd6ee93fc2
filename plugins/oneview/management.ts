// The management interface `oneview`: the boot device, and the addresses of the server's ports.
import { defineManagement, fault } from '#plugin-api';
import { applianceUrl, readFromAppliance } from './appliance/appliance.ts';
import { nextBoot, ownProfile, profileAt, storeNextBoot } from './boot-device.ts';
import { type Device, devices, firstDevice, isDevice } from './boot-order.ts';
import { adapterMacs } from './server/boot-macs.ts';
import { iloMacs, isBootOverridden } from './server/ilo.ts';
import { oneviewProperties, wantedOf } from './server/node-fields.ts';
import { readServer } from './server/server-hardware.ts';
import { validateFreeServer } from './server/validate-server.ts';

export const oneviewManagement = defineManagement({
  properties: oneviewProperties,
  validate(task) {
    wantedOf(task.node);
    applianceUrl(task);
  },
  validateMachine: validateFreeServer,
  supportedBootDevices: async () => Object.keys(devices) as Device[],
  async getBootDevice(task) {
    const next = nextBoot(task);
    if (next !== undefined) return { boot_device: next.device, persistent: next.persistent };
    const profile = await readFromAppliance(task, profileAt(await ownProfile(task)));
    const overridden = await isBootOverridden(task);
    return { boot_device: firstDevice(profile), persistent: overridden === null ? null : !overridden };
  },
  async setBootDevice(task, device, persistent) {
    if (!isDevice(device)) {
      const reason = `${device}; expected one of ${Object.keys(devices).join(', ')}`;
      throw fault('InvalidParameter', { name: 'boot_device', reason });
    }
    await ownProfile(task);
    await storeNextBoot(task, { device, persistent });
  },
  async getMacAddresses(task) {
    const macs = adapterMacs(await readServer(task, 'Reading the addresses of the ports'));
    return macs.length > 0 ? macs : iloMacs(task);
  },
});
