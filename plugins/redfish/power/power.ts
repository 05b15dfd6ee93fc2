// The power interface `redfish`.
import {
  definePower,
  type JsonObject,
  type PowerState,
  type PowerTarget,
  reachPowerState,
  type Task,
} from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { isLost, mayBeDone, refusalOf } from '../bmc/failures.ts';
import { WEAKNESS_MILLISECONDS, WEAKNESS_PAUSE_MILLISECONDS } from '../bmc/patience.ts';
import { UPDATES_KEY } from '../firmware/updates.ts';
import { renewBootDevice } from '../management/renewed-boot-device.ts';
import { redfishOptions } from '../options.ts';
import { isSilent } from '../steps/reboot.ts';
import { readCondition } from './condition.ts';
import { offeredResets, resetAction, resetTypes } from '../steps/resets.ts';

export const redfishPower = definePower({
  properties: connectionProperties,
  supportedTargets: ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'],
  supportsPowerSync: true,
  validate(task) {
    bmcConnectionOf(task);
  },
  getPowerState: readPowerState,
  readCondition,
  async setPowerState(task, target, timeoutSeconds) {
    const plan = await planned(task, target);
    const until = task.clock.monotonic() + Math.max(timeoutSeconds, plan.powerSeconds) * 1000;
    for (const type of plan.types) {
      if (stateAfter(type) === 'power on') await renewBootDevice(task);
      await reset(task, type);
      await reachPowerState(task, {
        wanted: stateAfter(type),
        action: `reset ${type}`,
        isSoft: type === 'GracefulShutdown',
        until,
        read: () => readPowerState(task),
      });
    }
  },
});

async function readPowerState(task: Task): Promise<PowerState | null> {
  try {
    return await asked(task);
  } catch (error) {
    // during a firmware update a BMC can leave requests unanswered for minutes
    if (isSilent(error) && task.node.driver_internal_info[UPDATES_KEY] !== undefined) return null;
    throw error;
  }
}

const asked = (task: Task): Promise<PowerState | null> =>
  converse(task, { operation: 'Reading the power state' }, async (bmc) => powerStateIn(await bmc.system()));

export function powerStateIn({ PowerState: state }: JsonObject): PowerState | null {
  if (state === 'On' || state === 'PoweringOn') return 'power on';
  return state === 'Off' || state === 'PoweringOff' ? 'power off' : null;
}

interface Plan {
  readonly types: readonly string[];
  readonly powerSeconds: number;
}

const planned = (task: Task, target: PowerTarget): Promise<Plan> =>
  converse(task, { operation: 'Reading the power state' }, async (bmc) => {
    const { resets: inPlaceOf, powerSeconds } = await bmc.remedies();
    const isOff = target.endsWith('rebooting') && powerStateIn(await bmc.system()) === 'power off';
    const mayPowerOff = !task.node.disable_power_off;
    const offered = await offeredResets(bmc);
    return {
      types: resetTypes({ target, isOff, mayPowerOff, offered, inPlaceOf }, task.node),
      powerSeconds,
    };
  });

const results: Readonly<Record<string, 'power off'>> = {
  ForceOff: 'power off',
  GracefulShutdown: 'power off',
};
const stateAfter = (type: string): 'power on' | 'power off' => results[type] ?? 'power on';

/** Whether the reset restarts the machine: it is then on before and after, so its power state does not show an effect. */
const isRestart = (type: string): boolean =>
  !['On', 'ForceOn', 'ForceOff', 'GracefulShutdown'].includes(type);

/**
 * Sends the reset. Does not throw when the answer is lost, because the caller waits for the power state. Does not throw either when
 * the BMC refuses a reset to a state that the machine is already in.
 */
async function reset(task: Task, type: string): Promise<void> {
  const weakUntil = task.clock.monotonic() + WEAKNESS_MILLISECONDS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(task, type);
    } catch (error) {
      if (isLost(error) || (await isThere(task, type, error))) return;
      const isWeak = mayBeDone(error) && !isRestart(type) && task.clock.monotonic() < weakUntil;
      const pause = isWeak ? WEAKNESS_PAUSE_MILLISECONDS : afterConflict(task, type, error, attempt);
      if (pause === undefined) throw error;
      await task.clock.sleep(pause);
    }
  }
}

/** Returns the milliseconds until a power-on is sent again that the BMC refused because of the machine's current state. */
function afterConflict(task: Task, type: string, error: unknown, attempt: number): number | undefined {
  const { power_on_conflict_retry_attempts: attempts, power_on_conflict_retry_interval: seconds } =
    redfishOptions(task);
  return isConflict(error) && stateAfter(type) === 'power on' && attempt <= attempts
    ? seconds * 1000
    : undefined;
}

const send = (task: Task, type: string): Promise<void> =>
  converse(task, { operation: `Reset ${type}` }, async (bmc) => {
    await bmc.post(await resetAction(bmc), { ResetType: type });
  });

/**
 * Whether the BMC refuses because of the machine's current state: an iDRAC10 refuses to power on for a minute after a power-off.
 */
const isConflict = (error: unknown): boolean => {
  const refusal = refusalOf(error);
  return refusal?.status === 409 && refusal.messages.includes('ActionParameterValueConflict');
};

/** Whether the machine is in the wanted state although the BMC has not accepted the reset. */
async function isThere(task: Task, type: string, error: unknown): Promise<boolean> {
  const refusal = refusalOf(error);
  const isDoubtful = refusal !== undefined && ([400, 409].includes(refusal.status) || mayBeDone(error));
  if (!isDoubtful || isRestart(type)) return false;
  const state = await readPowerState(task);
  if (state !== null) return state === stateAfter(type);
  const side = stateAfter(type).slice('power '.length);
  return refusal.reason.toLowerCase().includes(`powered ${side}`);
}
