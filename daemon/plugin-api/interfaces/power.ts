// The contract of power interfaces.
import type { PowerState, PowerTarget } from '../../model/states/power-states.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface PowerInterface extends DriverInterface {
  /** The power targets that the machine supports. */
  readonly supportedTargets: readonly PowerTarget[];
  /** Whether the conductor may correct the machine's power state to the recorded one. */
  readonly supportsPowerSync: boolean;
  /**
   * The agent in the machine's ramdisk carries out the actions, because the machine has no BMC: it can be rebooted while the
   * agent runs, and nothing else. The record of the agent is kept until `setPowerState` has resolved.
   */
  readonly throughAgent?: true;
  /** Returns the machine's power state, or null when the machine cannot tell. Throws BmcFailure when the BMC fails. */
  getPowerState(task: Task): Promise<PowerState | null>;
  /** Resolves when the machine has reached the target. Throws if it has not within `timeoutSeconds`. */
  setPowerState(task: Task, target: PowerTarget, timeoutSeconds: number): Promise<void>;
}

export const definePower = (power: PowerInterface): PowerInterface => power;
