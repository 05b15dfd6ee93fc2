// What the ramdisks of nodes need.
import type { ServedFiles } from '../../boot/served-files.ts';
import type { TaskServices } from '../tasks/services.ts';

export interface RamdiskServices extends TaskServices {
  /** What the boot servers serve. */
  readonly served: ServedFiles;
}
