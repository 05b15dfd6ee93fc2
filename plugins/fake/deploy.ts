// The fake deploy interface: every operation succeeds after the configured delay.
import { defineDeploy, type Task } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const wait = (task: Task) => delay(task, 'deploy');

export const fakeDeploy = defineDeploy({
  properties: {},
  validate(task) {
    delayRange(task, 'deploy');
  },
  prepare: wait,
  cleanUp: wait,
  tearDown: wait,
  takeOver: wait,
  async prepareCleaning(task) {
    await wait(task);
    return 'ready';
  },
  tearDownCleaning: wait,
  async prepareService(task) {
    await wait(task);
    return 'ready';
  },
  tearDownService: wait,
  steps: {
    deploy: {
      description: 'Waits for the time in [fake] deploy_delay.',
      priorities: { deploy: 100 },
      async run(task) {
        await wait(task);
        return 'done';
      },
    },
  },
});
