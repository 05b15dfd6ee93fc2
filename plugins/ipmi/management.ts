// The management interface `ipmitool`: boot device, health, sensors, and the interrupt (NMI) for a crash dump.
import { defineManagement } from '#plugin-api';
import {
  bootDeviceProperties,
  checkBootDeviceFlags,
  getBootDevice,
  setBootDevice,
  supportedBootDevices,
} from './boot-device.ts';
import { connectionProperties } from './connection-properties.ts';
import { healthWork } from './health.ts';
import { identifyByIpmi } from './identity/identify.ts';
import { connectionOfTask, ipmitool } from './ipmitool.ts';
import { readSensors } from './sensors/read-sensors.ts';
import { ipmiUsers } from './identity/users.ts';

export const ipmitoolManagement = defineManagement({
  properties: { ...connectionProperties, ...bootDeviceProperties },
  validate(task) {
    connectionOfTask(task);
    checkBootDeviceFlags(task);
  },
  periodic: { health: healthWork },
  supportedBootDevices: async () => supportedBootDevices,
  getBootDevice,
  setBootDevice,
  readSensors,
  identify: identifyByIpmi,
  ...ipmiUsers,
  async injectNmi(task) {
    await ipmitool(task, {
      operation: 'Injecting a non-maskable interrupt',
      command: ['chassis', 'power', 'diag'],
      confirmation: 'Chassis Power Control: Diag',
    });
  },
});
