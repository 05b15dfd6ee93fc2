// The contract of rescue interfaces.
import type { Task } from '../task.ts';
import type { Prepared } from './deploy.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface RescueInterface extends DriverInterface {
  /**
   * Boots the rescue ramdisk. Resolves to `wait` when the rescue is to continue at the heartbeat of the ramdisk's agent. Until
   * the rescue has succeeded or failed, `instance_info.hashed_rescue_password` holds the hash of the password (SHA-crypt).
   */
  rescue?(task: Task): Promise<Prepared>;
  /** Called once the rescue ramdisk runs, to pass it the password. This is the last call of a successful rescue. */
  finish?(task: Task): Promise<void>;
  unrescue?(task: Task): Promise<void>;
  /**
   * Called after a rescue that failed or was aborted, and before the instance of a rescued node is removed. Not called after
   * `unrescue`.
   */
  cleanUp?(task: Task): Promise<void>;
}

export const defineRescue = (rescue: RescueInterface): RescueInterface => rescue;
