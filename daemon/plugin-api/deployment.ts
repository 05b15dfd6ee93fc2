// The contracts of deploy, boot and rescue interfaces, which bring a ramdisk or an instance onto the machine.
import type { KernelParameters } from '../model/machine/kernel-parameters.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

/** `ready`: continue at once; `wait`: a ramdisk is booting, continue when its heartbeat arrives. */
export type Prepared = 'ready' | 'wait';

export interface DeployInterface extends DriverInterface {
  /** Called before the first deploy step, in state `deploying`. */
  prepare?(task: Task): Promise<void>;
  /** Called after a deployment that failed or was aborted. */
  cleanUp?(task: Task): Promise<void>;
  /** Removes the instance; called in state `deleting`. */
  tearDown?(task: Task): Promise<void>;
  /** Takes over an instance that this daemon did not deploy; called in state `adopting`. */
  takeOver?(task: Task): Promise<void>;
  /** Boots the ramdisk for cleaning. Not called when no step needs a ramdisk. */
  prepareCleaning?(task: Task): Promise<Prepared>;
  /** Called after cleaning, whether it succeeded or not, if `prepareCleaning` was called. */
  tearDownCleaning?(task: Task): Promise<void>;
  /** As `prepareCleaning`, for servicing; stops the instance. */
  prepareService?(task: Task): Promise<Prepared>;
  /** Boots the instance again. */
  tearDownService?(task: Task): Promise<void>;
}

export interface BootInterface extends DriverInterface {
  /**
   * Makes the machine boot the ramdisk next. `parameters` go on its kernel command line: values by name, null for a
   * word without a value.
   */
  prepareRamdisk?(task: Task, parameters: KernelParameters): Promise<void>;
  cleanUpRamdisk?(task: Task): Promise<void>;
  /** Makes the machine boot its instance from now on. */
  prepareInstance?(task: Task): Promise<void>;
  cleanUpInstance?(task: Task): Promise<void>;
}

export interface RescueInterface extends DriverInterface {
  /**
   * Boots the rescue ramdisk; `wait`: continue when its agent's heartbeat arrives. Until the rescue ends,
   * `instance_info.hashed_rescue_password` holds the hash of the password (SHA-crypt).
   */
  rescue?(task: Task): Promise<Prepared>;
  /** Called once the rescue ramdisk is up: pass it the password. The last call of a successful rescue. */
  finish?(task: Task): Promise<void>;
  unrescue?(task: Task): Promise<void>;
  /** Called after a rescue that was ended by `unrescue`, failed or was aborted. */
  cleanUp?(task: Task): Promise<void>;
}

export const defineDeploy = (deploy: DeployInterface): DeployInterface => deploy;
export const defineBoot = (boot: BootInterface): BootInterface => boot;
export const defineRescue = (rescue: RescueInterface): RescueInterface => rescue;
