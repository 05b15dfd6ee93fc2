// What the timeline of machines needs.
import type { BootLoops } from '../../boot/boot-loops.ts';
import type { NetworkBoots } from '../../boot/network-boots.ts';
import type { ServedFiles } from '../../boot/served-files.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Database } from '../../db/database.ts';
import type { Recorder } from './recorder.ts';

export interface TimelineServices {
  readonly db: Database;
  readonly config: Config;
  /** The recorder of what the daemon sees of each machine. */
  readonly timeline: Recorder;
  readonly bootLoops: BootLoops;
  /** What the machines of nodes boot from the network. */
  readonly networkBoots: NetworkBoots;
  /** What the boot servers serve. */
  readonly served: ServedFiles;
}
