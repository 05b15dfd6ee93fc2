// The contract of power interfaces.
import { Fault, fault } from '../../model/faults.ts';
import type { BootMode } from '../../model/machine/boot-modes.ts';
import type { PowerState, PowerTarget } from '../../model/states/power-states.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** What a BMC reports about a machine in addition to its power state; absent members are not known. */
export interface MachineCondition {
  readonly health?: 'OK' | 'Warning' | 'Critical' | null;
  readonly boot_mode?: BootMode;
  readonly secure_boot?: boolean;
}

export interface PowerInterface extends DriverInterface {
  /** The power targets that the machine supports. */
  readonly supportedTargets: readonly PowerTarget[];
  /** Whether the conductor may correct the machine's power state to the recorded one. */
  readonly supportsPowerSync: boolean;
  /**
   * Set when the agent in the machine's ramdisk carries out the actions, because the machine has no BMC: the machine can only
   * be rebooted, and only while the agent runs. The node's record keeps the agent's data until
   * `setPowerState` has resolved, because the operation needs them.
   */
  readonly throughAgent?: true;
  /** Returns the machine's power state, or null when the machine does not report it. Throws BmcFailure when the BMC fails. */
  getPowerState(task: Task): Promise<PowerState | null>;
  /**
   * Called after `getPowerState` at each synchronization of power states, so it should seldom send a request to the BMC. Called a
   * second time, with the node locked, if the result differs from the node's record. Needs no lock.
   */
  readCondition?(task: Task): Promise<MachineCondition>;
  /** Resolves when the machine has reached the target. Throws if it has not within `timeoutSeconds`. */
  setPowerState(task: Task, target: PowerTarget, timeoutSeconds: number): Promise<void>;
}

export const definePower = (power: PowerInterface): PowerInterface => power;

export interface PowerWait {
  readonly wanted: 'power on' | 'power off';
  /** What was done to reach the target, for the fault: `reset ForceOff`. */
  readonly action: string;
  /** Whether the operating system was asked to act; it may ignore the request. */
  readonly isSoft?: boolean;
  /** Deadline in milliseconds of `task.clock.monotonic()`. */
  readonly until: number;
  readonly read: () => Promise<PowerState | null>;
  /** 10 seconds if undefined. */
  readonly longestPauseMilliseconds?: number;
}

const FIRST_PAUSE_MILLISECONDS = 500;
const LONGEST_PAUSE_MILLISECONDS = 10_000;

/**
 * Reads the power state, with growing pauses, until it is the wanted one. A BMC may not answer, or refuse to answer, for a while
 * after an action, so BmcFailure, BmcRefused and BmcNotReady count as readings. Throws PowerStateFailure at the deadline.
 */
export async function reachPowerState(task: Task, wait: PowerWait): Promise<void> {
  const { wanted, until, read, longestPauseMilliseconds = LONGEST_PAUSE_MILLISECONDS } = wait;
  const { clock } = task;
  const begun = clock.monotonic();
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(pause * 2, longestPauseMilliseconds)) {
    const reading = await stateOrFailure(read);
    if (reading === wanted) return;
    if (clock.monotonic() >= until)
      throw notReached(task, wait, { reading, seconds: (clock.monotonic() - begun) / 1000 });
    await clock.sleep(Math.min(pause, until - clock.monotonic()));
  }
}

const NO_READING: ReadonlySet<string> = new Set(['BmcFailure', 'BmcRefused', 'BmcNotReady']);

async function stateOrFailure(read: PowerWait['read']): Promise<string> {
  try {
    return (await read()) ?? 'neither on nor off';
  } catch (error) {
    if (error instanceof Fault && NO_READING.has(error.code)) return error.message;
    throw error;
  }
}

function notReached(
  { node }: Task,
  { wanted, action, isSoft = false }: PowerWait,
  { reading, seconds }: { readonly reading: string; readonly seconds: number },
): Fault {
  const hint = isSoft ? '; the operating system may ignore the request: try a hard power off' : '';
  return fault('PowerStateFailure', {
    target: wanted,
    node: node.uuid,
    reason: `${seconds.toFixed(0)} s after ${action} the last reading was: ${reading}${hint}`,
  });
}
