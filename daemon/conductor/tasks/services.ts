// What every task needs, and on whose behalf it runs.
import type { NetworkBoots } from '../../boot/network-boots.ts';
import type { DhcpProvider } from '../../boot/provider/dhcp-provider.ts';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Database } from '../../db/database.ts';
import type { SiteImages } from '../../images/images.ts';
import type { Logger } from '../../lib/logger.ts';
import type { WatchedClock } from '../../lib/watched-clock.ts';
import type { Caller } from '../../model/caller.ts';
import type { Node } from '../../model/records/node.ts';
import type { Driver, Task } from '../../plugin-api/index.ts';
import type { Recorder } from '../timeline/recorder.ts';
import type { Transitions } from '../timeline/transitions.ts';
import type { NodeLocks } from './node-locks.ts';
import type { WorkerPool } from './workers.ts';

export interface TaskServices {
  readonly db: Database;
  readonly config: Config;
  readonly clock: WatchedClock;
  readonly log: Logger;
  readonly host: string;
  /** Throws NoValidDriver when the node's driver is not enabled, and NodeQuarantined when the node is in quarantine. */
  readonly compose: (node: Node) => Driver;
  /** Returns what plugins see of `task`, a NodeTask. That type depends on TaskServices, and so cannot be named here. */
  viewOf(task: object): Task;
  readonly locks: NodeLocks;
  readonly workers: WorkerPool;
  readonly dhcp: DhcpProvider;
  readonly images: SiteImages;
  /** What the machines of nodes boot from the network. */
  readonly networkBoots: NetworkBoots;
  /** The recorder of what the daemon sees of each machine. */
  readonly timeline: Recorder;
  /** Aborts when the daemon gives up waiting for running work. */
  readonly stopping: AbortSignal;
  readonly transitions: Transitions;
}

/** Services, and on whose behalf they are used: a request's sender, or null for the daemon's own work. */
export interface Call<Used = TaskServices> {
  readonly services: Used;
  readonly caller: Caller | null;
}
