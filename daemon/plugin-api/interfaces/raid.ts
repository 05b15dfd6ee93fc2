// The contract of raid interfaces. Steps build RAIDs.
import type { LogicalDiskSchema } from '../../model/steps/raid.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface RaidInterface extends DriverInterface {
  /** Schema of a logical disk in `target_raid_config`; absent when the interface supports no RAID. */
  readonly logicalDisk?: LogicalDiskSchema;
}

export const defineRaid = (raid: RaidInterface): RaidInterface => raid;
