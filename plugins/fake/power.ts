// The fake power interface: reports the recorded power state, and reaches every target.
import { definePower } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

export const fakePower = definePower({
  properties: {},
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  validate(task) {
    delayRange(task, 'power');
  },
  async getPowerState(task) {
    await delay(task, 'power');
    return task.node.power_state;
  },
  setPowerState: (task) => delay(task, 'power'),
});
