// The power interface `ipmitool`. A BMC's reply to an action is not trusted: the power state is read until it is the wanted one.
import {
  definePower,
  fault,
  type PowerState,
  type PowerTarget,
  reachPowerState,
  type Task,
} from '#plugin-api';
import { bootDeviceProperties, checkBootDeviceFlags, restoreBootDevice } from './boot-device.ts';
import { connectionProperties } from './connection-properties.ts';
import { connectionOfTask, ipmitool } from './ipmitool.ts';

export const ipmitoolPower = definePower({
  properties: { ...connectionProperties, ...bootDeviceProperties },
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  validate(task) {
    connectionOfTask(task);
    checkBootDeviceFlags(task);
  },
  getPowerState,
  async setPowerState(task, target, timeoutSeconds) {
    const until = task.clock.monotonic() + timeoutSeconds * 1000;
    const isOff = target.endsWith('rebooting') && (await getPowerState(task)) === 'power off';
    const mayPowerOff = !task.node.disable_power_off;
    if (target === 'soft rebooting' && !isOff && !mayPowerOff)
      throw fault('PowerStateFailure', {
        target,
        node: task.node.uuid,
        reason:
          'a soft reboot over IPMI shuts the operating system down and powers the machine off, which disable_power_off forbids; request "rebooting"',
      });
    for (const action of powerActions(target, { isOff, mayPowerOff })) {
      if (resultOfAction(action) === 'power on') await restoreBootDevice(task);
      await ipmitool(task, {
        operation: `Power ${action}`,
        command: ['power', action],
        confirmation: 'Chassis Power Control: ',
      });
      await reachPowerState(task, {
        wanted: resultOfAction(action),
        action: `"power ${action}"`,
        isSoft: action === 'soft',
        until,
        read: () => getPowerState(task),
      });
    }
  },
});

type PowerAction = 'on' | 'off' | 'soft' | 'reset';

const actions: Readonly<Record<PowerTarget, readonly PowerAction[]>> = {
  'power on': ['on'],
  'power off': ['off'],
  rebooting: ['off', 'on'],
  'soft rebooting': ['soft', 'on'],
  'soft power off': ['soft'],
};
const resultOfAction = (action: PowerAction) =>
  action === 'on' || action === 'reset' ? 'power on' : 'power off';

/** Returns the commands for the BMC in order; each must have taken effect before the next. */
export function powerActions(
  target: PowerTarget,
  { isOff, mayPowerOff }: { readonly isOff: boolean; readonly mayPowerOff: boolean },
): readonly PowerAction[] {
  if (isOff && target.endsWith('rebooting')) return ['on'];
  if (target === 'rebooting' && !mayPowerOff) return ['reset'];
  return actions[target];
}

async function getPowerState(task: Task): Promise<PowerState | null> {
  const answer = await ipmitool(task, {
    operation: 'Reading the power state',
    command: ['power', 'status'],
    confirmation: 'Chassis Power is ',
  });
  return parsePowerState(answer);
}

/** Parses the output of `power status`; null when the output says neither on nor off. */
export function parsePowerState(text: string): PowerState | null {
  const state = /Chassis Power is (on|off)\b/.exec(text)?.[1];
  return state === undefined ? null : state === 'on' ? 'power on' : 'power off';
}
