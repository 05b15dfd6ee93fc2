// The fake rescue interface: every operation succeeds after the configured delay.
import { defineRescue } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeRescue = defineRescue({
  properties: {},
  validate(task) {
    delayRange(task, 'rescue');
  },
  async rescue(task) {
    await delay(task, 'rescue');
    return 'ready';
  },
  unrescue: (task) => delay(task, 'rescue'),
  cleanUp: (task) => delay(task, 'rescue'),
});
