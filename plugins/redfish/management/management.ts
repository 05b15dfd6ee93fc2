// The management interface `redfish`.
import { defineManagement } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { resetAction } from '../steps/resets.ts';
import { clockSteps } from './bmc-clock.ts';
import { getBootDevice, setBootDevice, supportedBootDevices } from './boot-device.ts';
import { getBootMode, setBootMode } from './boot-mode.ts';
import { getIndicatorState, listIndicators, setIndicatorState } from './indicators.ts';
import { identifyByRedfish } from './identify.ts';
import { getMacAddresses } from './mac-addresses.ts';
import { eventsIn } from './events/read-events.ts';
import { subscribe, unsubscribe } from './events/subscription.ts';
import { eraseSteps } from './erase-drives.ts';
import { readSensors } from './sensors/sensors.ts';
import { getSecureBoot, secureBootSteps, setSecureBoot } from './secure-boot.ts';
import {
  attachVirtualMedia,
  detachVirtualMedia,
  listVirtualMedia,
  mediaProperties,
  protocolOf,
} from './media/virtual-media.ts';
import { redfishUsers } from './users.ts';
import { vendorSteps } from './vendor.ts';

export const redfishManagement = defineManagement({
  properties: { ...connectionProperties, ...mediaProperties },
  validate(task) {
    bmcConnectionOf(task);
    protocolOf(task);
  },
  supportedBootDevices: async () => supportedBootDevices,
  getBootDevice,
  setBootDevice,
  getBootMode,
  setBootMode,
  getSecureBoot,
  setSecureBoot,
  async injectNmi(task) {
    await converse(task, { operation: 'Injecting a non-maskable interrupt' }, async (bmc) => {
      await bmc.post(await resetAction(bmc), { ResetType: 'Nmi' });
    });
  },
  listIndicators,
  getIndicatorState,
  setIndicatorState,
  listVirtualMedia,
  attachVirtualMedia,
  detachVirtualMedia,
  ...redfishUsers,
  identify: identifyByRedfish,
  getMacAddresses,
  readSensors,
  subscribe,
  unsubscribe,
  readEvents: async (_, message) => eventsIn(message),
  steps: { ...secureBootSteps, ...clockSteps, ...vendorSteps, ...eraseSteps },
});
