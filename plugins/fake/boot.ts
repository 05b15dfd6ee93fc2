// The fake boot interface: every operation succeeds after the configured delay.
import { defineBoot, type Task } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const wait = (task: Task) => delay(task, 'boot');

export const fakeBoot = defineBoot({
  properties: {},
  validate(task) {
    delayRange(task, 'boot');
  },
  prepareRamdisk: wait,
  cleanUpRamdisk: wait,
  prepareInstance: wait,
  cleanUpInstance: wait,
});
