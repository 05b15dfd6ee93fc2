// The contracts of deploy, boot and rescue interfaces: what brings a ramdisk or an instance onto the machine.
import type { KernelParameters } from '../model/kernel-parameters.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

/** `ready`: go on at once; `wait`: a ramdisk was booted, its heartbeat goes on. */
export type Prepared = 'ready' | 'wait';

export interface DeployInterface extends DriverInterface {
  /** Before the first deploy step; `deploying`. */
  prepare?(task: Task): Promise<void>;
  /** After a deployment that failed or was aborted. */
  cleanUp?(task: Task): Promise<void>;
  /** The instance goes; `deleting`. */
  tearDown?(task: Task): Promise<void>;
  /** The machine runs an instance that this daemon did not deploy; `adopting`. */
  takeOver?(task: Task): Promise<void>;
  /** Brings up what cleaning with a ramdisk needs; not called when no step needs one. */
  prepareCleaning?(task: Task): Promise<Prepared>;
  /** After cleaning, however it ended, and only when `prepareCleaning` was called. */
  tearDownCleaning?(task: Task): Promise<void>;
  /** As for cleaning; the instance's system is stopped for it. */
  prepareService?(task: Task): Promise<Prepared>;
  /** Puts the instance back into operation. */
  tearDownService?(task: Task): Promise<void>;
}

export interface BootInterface extends DriverInterface {
  /**
   * The machine's next boot brings up the ramdisk. `parameters` are words of its kernel's command line: values by name,
   * null for a word without a value.
   */
  prepareRamdisk?(task: Task, parameters: KernelParameters): Promise<void>;
  cleanUpRamdisk?(task: Task): Promise<void>;
  /** The machine boots its instance from now on. */
  prepareInstance?(task: Task): Promise<void>;
  cleanUpInstance?(task: Task): Promise<void>;
}

export interface RescueInterface extends DriverInterface {
  /**
   * Brings up the rescue system; `wait`: its agent's heartbeat goes on. `instance_info` has the password until the
   * rescue has ended, as `hashed_rescue_password` (SHA-crypt).
   */
  rescue?(task: Task): Promise<Prepared>;
  /** The rescue ramdisk is there: hand the password over. Nothing else is called when that went well. */
  finish?(task: Task): Promise<void>;
  unrescue?(task: Task): Promise<void>;
  /** After a rescue that ended, failed or was aborted. */
  cleanUp?(task: Task): Promise<void>;
}

export const defineDeploy = (deploy: DeployInterface): DeployInterface => deploy;
export const defineBoot = (boot: BootInterface): BootInterface => boot;
export const defineRescue = (rescue: RescueInterface): RescueInterface => rescue;
