// The contract of storage interfaces, which know the volumes that a machine uses.
import type { BootSystem, Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface StorageInterface extends DriverInterface {
  /**
   * Returns the volume that the instance boots from at every boot; null when the instance is on a disk. An interface without this
   * operation has only such instances. Throws InvalidParameter when the records of the volumes lack something.
   */
  instanceSystem?(task: Task): Promise<BootSystem | null>;
}

export const defineStorage = (storage: StorageInterface): StorageInterface => storage;
