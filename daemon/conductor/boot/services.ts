// What booting a machine from the network or a CD needs.
import type { BootLoops } from '../../boot/boot-loops.ts';
import type { RamdiskServices } from '../ramdisk/services.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface NetworkBootServices extends RamdiskServices {
  /** Configuration values by section, plugins' sections included. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly bootLoops: BootLoops;
}

export type NetworkBootTask = NodeTask<NetworkBootServices>;
