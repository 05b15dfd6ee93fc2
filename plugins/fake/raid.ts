// The fake raid interface: takes any configuration that could be built, and builds nothing.
import { defineRaid, logicalDiskSchema } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeRaid = defineRaid({
  properties: {},
  validate(task) {
    delayRange(task, 'raid');
  },
  logicalDisk: logicalDiskSchema,
  createConfiguration: (task) => delay(task, 'raid'),
  deleteConfiguration: (task) => delay(task, 'raid'),
});
