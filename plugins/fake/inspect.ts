// The fake inspect interface: inspection succeeds and finds nothing.
import { defineInspect } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeInspect = defineInspect({
  properties: {},
  validate(task) {
    delayRange(task, 'inspect');
  },
  async inspectHardware(task) {
    await delay(task, 'inspect');
    return 'manageable';
  },
});
