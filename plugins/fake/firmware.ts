// The fake firmware interface: an update takes its time and changes nothing.
import { defineFirmware } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeFirmware = defineFirmware({
  properties: {},
  validate(task) {
    delayRange(task, 'firmware');
  },
  steps: {
    update: {
      description: 'Takes the time of [fake] firmware_delay and changes nothing.',
      priorities: { clean: 0, service: 0 },
      requiresRamdisk: false,
      arguments: { settings: { description: 'A list of { component, url }.', required: true } },
      async run(task, { settings }) {
        await delay(task, 'firmware');
        task.log.info({ settings }, 'The fake firmware interface has updated nothing');
        return 'done';
      },
    },
  },
});
