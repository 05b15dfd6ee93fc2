// The contract of deploy interfaces, which bring an instance onto the machine.
import type { BootSystem, Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

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
  /**
   * For an instance that is not on the disk, returns what the machine boots every time: kernel and ramdisk, or a CD image. Null
   * for an instance on the disk; an interface without this operation has only such instances. For an instance on a volume, the
   * storage interface returns what the machine boots.
   */
  instanceSystem?(task: Task): Promise<BootSystem | null>;
  /** Where the storage interface has a system for the instance, a deployment boots it and writes no image. */
  readonly bootsVolumes?: true;
  /** Boots the ramdisk for cleaning. Not called when no step needs a ramdisk. */
  prepareCleaning?(task: Task): Promise<Prepared>;
  /** Called after cleaning, whether it succeeded or not, if `prepareCleaning` was called. */
  tearDownCleaning?(task: Task): Promise<void>;
  /** Like `prepareCleaning`, for servicing; also stops the instance. */
  prepareService?(task: Task): Promise<Prepared>;
  /** Boots the instance again. */
  tearDownService?(task: Task): Promise<void>;
}

export const defineDeploy = (deploy: DeployInterface): DeployInterface => deploy;
