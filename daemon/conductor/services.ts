// The services that all parts of the conductor share.
import type { Role } from '../model/roles.ts';
import type { Config } from '../config/sections/core-sections.ts';
import type { Database } from '../db/database.ts';
import type { ConfigDrives } from '../images/config-drive.ts';
import type { Images } from '../images/images.ts';
import type { AuditFile } from '../lib/files/audit-file.ts';
import { timestamp } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { MemoryBudget } from '../lib/limits/memory-budget.ts';
import type { WatchedClock } from '../lib/watched-clock.ts';
import type { Node } from '../model/records/node.ts';
import type { LivePlugins } from '../plugin-host/live-plugins.ts';
import type { Registry } from '../plugin-host/registry.ts';
import type { Driver, Task } from '../plugin-api/index.ts';
import type { SerialConsoles } from './consoles/serial-consoles.ts';
import type { SensorReadings } from './hardware/sensor-readings.ts';
import type { ReportProcessor } from './inspection/report-processor.ts';
import type { BmcConversations } from './bmcs/bmc-conversations.ts';
import type { DhcpProvider } from '../boot/provider/dhcp-provider.ts';
import type { BootLoops } from '../boot/boot-loops.ts';
import type { NetworkBoots } from '../boot/network-boots.ts';
import type { ServedFiles } from '../boot/served-files.ts';
import type { Recorder } from './timeline/recorder.ts';
import type { NodeLocks } from './tasks/node-locks.ts';
import type { WorkTimes } from './tasks/work-times.ts';
import type { WorkerPool } from './tasks/workers.ts';

export interface Services {
  readonly db: Database;
  readonly config: Config;
  /** Configuration values by section, plugins' sections included. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly registry: Registry;
  readonly plugins: LivePlugins;
  /** Throws NoValidDriver when the node's driver is not enabled, and NodeQuarantined when the node is in quarantine. */
  readonly compose: (node: Node) => Driver;
  /** Like `compose`, but also for a node in quarantine: only to find out which machine it is. */
  readonly composeQuarantined: (node: Node) => Driver;
  /** Returns what plugins see of `task`, a NodeTask. That type depends on Services, and so cannot be named here. */
  viewOf(task: object): Task;
  readonly locks: NodeLocks;
  readonly workers: WorkerPool;
  /** The work that runs on nodes, since when, and how long earlier work took. */
  readonly workTimes: WorkTimes;
  readonly memory: MemoryBudget;
  readonly bmcs: BmcConversations;
  /** By node: the messages from its BMC, counted from the one that made the daemon schedule a reading of the power state. */
  readonly unreadMessages: Map<string, number>;
  readonly dhcp: DhcpProvider;
  /** What the boot servers serve. */
  readonly served: ServedFiles;
  /** What the machines of nodes boot from the network. */
  readonly networkBoots: NetworkBoots;
  readonly bootLoops: BootLoops;
  readonly images: Images;
  readonly configDrives: ConfigDrives;
  /** The recorder of what the daemon sees of each machine. */
  readonly timeline: Recorder;
  readonly sensors: SensorReadings;
  readonly consoles: SerialConsoles;
  readonly inspection: ReportProcessor;
  readonly audit: AuditFile;
  readonly clock: WatchedClock;
  readonly log: Logger;
  readonly host: string;
  /** Aborts when the daemon gives up waiting for running work. */
  readonly stopping: AbortSignal;
  /** Called after every stored change of a node's provision state; `from`: the node before it. */
  readonly transitions: Set<(node: Node, from: Node) => void>;
  /** MAC addresses of discovered machines whose report is being processed. */
  readonly discovering: Set<string>;
}

/** The sender of a request, for the log and the node's history. */
export interface Caller {
  readonly requestId: string;
  readonly user: string | null;
  readonly role: Role;
  /** Where the request came from; null for a Unix socket. */
  readonly address: string | null;
}

/** The services, and on whose behalf they are used: a request's sender, or null for the daemon's own work. */
export interface Call {
  readonly services: Services;
  readonly caller: Caller | null;
}

export const now = (services: Services): string => timestamp(services.clock.now());

/** Returns how many milliseconds a request waits for a node's lock: as long as all attempts take in Ironic. */
export function lockPatience({ config }: Services): number {
  return (
    (config.conductor.node_locked_retry_attempts - 1) * config.conductor.node_locked_retry_interval * 1000
  );
}
