// The contract of boot interfaces, which make the machine boot a ramdisk or its instance.
import type { KernelParameters } from '../../model/machine/kernel-parameters.ts';
import type { BootSystem, Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface BootInterface extends DriverInterface {
  /**
   * Throws UnsupportedDriverExtension when this interface cannot boot the inspection ramdisk; the network's own boot server then
   * has to boot it. If this operation is absent, `validate` decides.
   */
  validateInspection?(task: Task): void | Promise<void>;
  /** Validates the node as `validate` does, for the ramdisk that rescues it. If this operation is absent, `validate` decides. */
  validateRescue?(task: Task): void | Promise<void>;
  /**
   * Makes the machine boot the ramdisk next. `parameters` go on its kernel command line: values by name, null for a
   * word without a value.
   */
  prepareRamdisk?(task: Task, parameters: KernelParameters): Promise<void>;
  cleanUpRamdisk?(task: Task): Promise<void>;
  /** Makes the machine boot the instance on its disk from now on. */
  prepareInstance?(task: Task): Promise<void>;
  cleanUpInstance?(task: Task): Promise<void>;
  /** The kinds of systems that `bootSystem` boots. */
  readonly systems?: readonly BootSystem['kind'][];
  /** `bootSystem` serves the `files` of a system; without this, it ignores them. */
  readonly servesFiles?: true;
  /**
   * Makes the machine boot a system that is not on its disk: once, or at every boot until `cleanUpInstance` is called or
   * another operation makes the machine boot something else.
   */
  bootSystem?(task: Task, system: BootSystem, everyBoot: boolean): Promise<void>;
  /** Throws what `bootSystem` would throw for this system, as far as that can be seen without a download. */
  checkSystem?(task: Task, system: BootSystem): Promise<void>;
}

export const defineBoot = (boot: BootInterface): BootInterface => boot;
