// The fake firmware interface: an update waits for the configured delay and changes nothing.
import { defineFirmware } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakeFirmware = defineFirmware({
  properties: {},
  validate(task) {
    delayRange(task, 'firmware');
  },
  steps: {
    update: {
      description: 'Waits for the time in [fake] firmware_delay and changes nothing.',
      priorities: { clean: 0, service: 0 },
      requiresRamdisk: false,
      arguments: { settings: { description: 'A list of { component, url }.', required: true } },
      async run(task, { settings }) {
        await delay(task, 'firmware');
        task.log.info(
          { settings },
          'The fake firmware interface was asked for an update and changed nothing',
        );
        return 'done';
      },
    },
  },
});
