// The management interface `ipmitool`: the boot device.
import { defineManagement } from '#plugin-api';
import {
  bootDeviceProperties,
  checkBootDeviceFlags,
  getBootDevice,
  setBootDevice,
  supportedBootDevices,
} from './boot-device.ts';
import { connectionProperties } from './connection-properties.ts';
import { connectionOfTask } from './ipmitool.ts';

export const ipmitoolManagement = defineManagement({
  properties: { ...connectionProperties, ...bootDeviceProperties },
  validate(task) {
    connectionOfTask(task);
    checkBootDeviceFlags(task);
  },
  supportedBootDevices: () => supportedBootDevices,
  getBootDevice,
  setBootDevice,
});
