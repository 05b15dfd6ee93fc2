// The fake firmware interface: an update takes its time and changes nothing.
import { defineFirmware } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeFirmware = defineFirmware({
  properties: {},
  validate(task) {
    delayRange(task, 'firmware');
  },
  async update(task, settings) {
    await delay(task, 'firmware');
    task.log.info({ settings }, 'The fake firmware interface has updated nothing');
  },
});
