// What the parts of a plan are made from.
import type { LoadedConfig } from '../../../config/load.ts';
import type { Progress } from '../change.ts';
import type { Host } from '../host/host.ts';
import type { Network } from '../host/network.ts';
import type { SetupJournal } from '../journal.ts';

export interface SetupSetting {
  readonly host: Host;
  readonly journal: SetupJournal;
  readonly progress: Progress;
  /** The ID of the daemon's group, which may read its files. */
  readonly group: number;
  /** Whether systemd runs the daemon. */
  readonly isService: boolean;
  readonly network: Network;
}

export interface PlanParts extends SetupSetting {
  /** What the daemon will read. */
  readonly loaded: LoadedConfig;
  /** Whether the operator's file names a ramdisk. */
  readonly ramdiskByOperator: boolean;
}
