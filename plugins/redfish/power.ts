// The power interface `redfish`, which also reads the machine's health at intervals.
import {
  definePower,
  Fault,
  fault,
  type JsonObject,
  type PowerState,
  type PowerTarget,
  resultOf,
  type Task,
} from '#plugin-api';
import { connectionOf, connectionProperties } from './connection.ts';
import { healthWork } from './health.ts';
import { converse } from './redfish.ts';
import { readSystem } from './system.ts';

const firstPauseMilliseconds = 2000;
const longestPauseMilliseconds = 10_000;

type ResetType = 'On' | 'ForceOff' | 'GracefulShutdown' | 'ForceRestart';

export const redfishPower = definePower({
  properties: connectionProperties,
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  periodic: { health: healthWork },
  validate(task) {
    connectionOf(task);
  },
  getPowerState: async (task) => powerStateIn(await readSystem(task, 'Reading the power state')),
  async setPowerState(task, target, timeoutSeconds) {
    const until = task.clock.monotonic() + timeoutSeconds * 1000;
    const isOff = target.endsWith('rebooting') && (await redfishPower.getPowerState(task)) === 'power off';
    for (const type of resetTypes(target, { isOff, mayPowerOff: !task.node.disable_power_off })) {
      await reset(task, type);
      await reached(task, type, until);
    }
  },
});

const types: Readonly<Record<PowerTarget, readonly ResetType[]>> = {
  'power on': ['On'],
  'power off': ['ForceOff'],
  rebooting: ['ForceOff', 'On'],
  'soft rebooting': ['GracefulShutdown', 'On'],
  'soft power off': ['GracefulShutdown'],
};

/** Returns the resets in order; each must have taken effect before the next. */
export function resetTypes(
  target: PowerTarget,
  { isOff, mayPowerOff }: { readonly isOff: boolean; readonly mayPowerOff: boolean },
): readonly ResetType[] {
  if (isOff && target.endsWith('rebooting')) return ['On'];
  if (target === 'rebooting' && !mayPowerOff) return ['ForceRestart'];
  return types[target];
}

const stateAfter = (type: ResetType): PowerState =>
  type === 'On' || type === 'ForceRestart' ? 'power on' : 'power off';

export function powerStateIn({ PowerState: state }: JsonObject): PowerState | null {
  if (state === 'On' || state === 'PoweringOn') return 'power on';
  return state === 'Off' || state === 'PoweringOff' ? 'power off' : null;
}

/** A BMC may refuse a reset to the state that the machine is in. */
async function reset(task: Task, type: ResetType): Promise<void> {
  try {
    await converse(task, `Reset ${type}`, async (bmc) =>
      bmc.post(`${await bmc.systemPath()}/Actions/ComputerSystem.Reset`, { ResetType: type }),
    );
  } catch (error) {
    const isRefusal = error instanceof Fault && error.code === 'BmcRefused';
    const isThere = isRefusal && (await redfishPower.getPowerState(task)) === stateAfter(type);
    if (!isThere || type === 'ForceRestart') throw error;
  }
}

async function reached(task: Task, type: ResetType, until: number): Promise<void> {
  const { clock } = task;
  const wanted = stateAfter(type);
  for (let pause = firstPauseMilliseconds; ; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
    const state = await redfishPower.getPowerState(task);
    if (state === wanted) return;
    if (clock.monotonic() >= until)
      throw fault('PowerStateFailure', {
        target: resultOf(wanted === 'power on' ? 'power on' : 'power off'),
        node: task.node.uuid,
        reason: `after reset ${type} the last reading was: ${state ?? 'neither on nor off'}`,
      });
    await clock.sleep(Math.max(0, Math.min(pause, until - clock.monotonic())));
  }
}
