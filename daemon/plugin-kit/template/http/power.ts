// The power interface `acme`.
import { definePower, fault, type PowerTarget, resultOf, type Task } from '#plugin-api';
import { addressOf, ask, connectionProperties } from './connection.ts';

const actions: Readonly<Partial<Record<PowerTarget, string>>> = {
  'power on': 'on',
  'power off': 'off',
  rebooting: 'reset',
};

async function getPowerState(task: Task) {
  const state = await ask(task, { operation: 'Reading the power state', method: 'GET', path: '/power' });
  if (state === 'on') return 'power on';
  return state === 'off' ? 'power off' : null;
}

export const acmePower = definePower({
  properties: connectionProperties,
  supportedTargets: ['power on', 'power off', 'rebooting'],
  supportsPowerSync: true,
  validate(task) {
    addressOf(task.node);
  },
  getPowerState,
  async setPowerState(task, target, timeoutSeconds) {
    const body = actions[target] ?? 'on';
    await ask(task, { operation: `Power ${body}`, method: 'PUT', path: '/power', body });
    const until = task.clock.monotonic() + timeoutSeconds * 1000;
    while ((await getPowerState(task)) !== resultOf(target)) {
      if (task.clock.monotonic() >= until) {
        const reason = `the machine did not reach it within ${timeoutSeconds} s`;
        throw fault('PowerStateFailure', { target, node: task.node.uuid, reason });
      }
      await task.clock.sleep(1000);
    }
  },
});
