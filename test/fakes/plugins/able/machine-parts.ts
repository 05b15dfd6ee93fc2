// BIOS and firmware interfaces that report the settings and components in driver_info.
import { type BiosSettingSeen, defineBios, defineFirmware, type FirmwareSeen } from '#plugin-api';
import { failIfAsked } from './memory.ts';

export const ableBios = defineBios({
  properties: {},
  validate() {},
  async readSettings(task) {
    failIfAsked(task, 'readSettings');
    return (task.node.driver_info['settings'] ?? []) as unknown as readonly BiosSettingSeen[];
  },
});

export const ableFirmware = defineFirmware({
  properties: {},
  validate() {},
  async readComponents(task) {
    failIfAsked(task, 'readComponents');
    return (task.node.driver_info['firmware'] ?? []) as unknown as readonly FirmwareSeen[];
  },
});
