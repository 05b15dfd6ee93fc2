// The fake boot interface: there is no machine that could boot a ramdisk.
import { defineBoot, fault } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeBoot = defineBoot({
  properties: {},
  validate(task) {
    delayRange(task, 'boot');
  },
  validateInspection(task) {
    throw fault('UnsupportedDriverExtension', {
      driver: task.node.driver,
      extension: 'booting a ramdisk for inspection with the fake boot interface',
    });
  },
  prepareRamdisk: (task) => delay(task, 'boot'),
  cleanUpRamdisk: (task) => delay(task, 'boot'),
});
