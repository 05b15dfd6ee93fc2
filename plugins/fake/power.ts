// The fake power interface: the recorded power state is the machine's, and every target is reached.
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
