// The contracts of bios, firmware and raid interfaces. Steps change BIOS settings, firmware and RAID; these read them.
import type { BiosRegistryEntry } from '../model/records/bios-setting.ts';
import type { LogicalDiskSchema } from '../model/steps/raid.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

/** One BIOS setting of the machine. */
export interface BiosSettingSeen extends Partial<BiosRegistryEntry> {
  readonly name: string;
  readonly value: string | null;
}

export interface BiosInterface extends DriverInterface {
  /** Returns every BIOS setting of the machine; the daemon stores them for the API's `bios` lists. */
  readSettings?(task: Task): Promise<readonly BiosSettingSeen[]>;
}

/** One firmware component of the machine. */
export interface FirmwareSeen {
  /** `bios`, `bmc`, `nic:...` */
  readonly component: string;
  readonly current_version: string;
  readonly last_version_flashed?: string;
  readonly vendor?: string;
  readonly model?: string;
  readonly serial_number?: string;
}

export interface FirmwareInterface extends DriverInterface {
  /** Returns every firmware component of the machine; the daemon stores them for the API's `firmware` list. */
  readComponents?(task: Task): Promise<readonly FirmwareSeen[]>;
}

export interface RaidInterface extends DriverInterface {
  /** Schema of a logical disk in `target_raid_config`; absent when the machine has no RAID. */
  readonly logicalDisk?: LogicalDiskSchema;
}

export const defineBios = (bios: BiosInterface): BiosInterface => bios;
export const defineFirmware = (firmware: FirmwareInterface): FirmwareInterface => firmware;
export const defineRaid = (raid: RaidInterface): RaidInterface => raid;
