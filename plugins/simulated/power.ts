// Switches the power of a simulated machine.
import { definePower, fault, type PowerState, type PowerTarget, resultOf, type Task } from '#plugin-api';
import { simulatedProperties, readSystem, resetSystem, validateConnection } from './redfish.ts';

const RESETS: Readonly<Record<PowerTarget, string>> = {
  'power on': 'On',
  'power off': 'ForceOff',
  'soft power off': 'GracefulShutdown',
  rebooting: 'ForceRestart',
  'soft rebooting': 'GracefulRestart',
};
const POLL_MILLISECONDS = 1000;

export const simulatedPower = definePower({
  properties: simulatedProperties,
  validate: validateConnection,
  supportedTargets: Object.keys(RESETS) as PowerTarget[],
  supportsPowerSync: true,
  getPowerState: powerState,
  async setPowerState(task, target, timeoutSeconds) {
    const wanted = resultOf(target);
    const isOff = (await powerState(task)) === 'power off';
    await resetSystem(task, isOff && wanted === 'power on' ? 'On' : RESETS[target]);
    const deadline = task.clock.monotonic() + timeoutSeconds * 1000;
    // a restart counts as complete when the BMC accepts it, because its effect is not visible here
    while ((await powerState(task)) !== wanted) {
      if (task.clock.monotonic() >= deadline)
        throw fault('PowerStateFailure', {
          target,
          node: task.node.uuid,
          reason: `the machine is not in state "${wanted}" after ${timeoutSeconds} s`,
        });
      await task.clock.sleep(POLL_MILLISECONDS);
    }
  },
});

async function powerState(task: Task): Promise<PowerState | null> {
  const state = (await readSystem(task))['PowerState'];
  if (state === 'On') return 'power on';
  return state === 'Off' ? 'power off' : null;
}
