// The contracts of bios, firmware and raid interfaces: what is inside the machine. Steps change it.
import type { BiosRegistryEntry } from '../model/bios-setting.ts';
import type { LogicalDiskSchema } from '../model/raid.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

/** One BIOS setting of the machine. */
export interface BiosSettingSeen extends Partial<BiosRegistryEntry> {
  readonly name: string;
  readonly value: string | null;
}

export interface BiosInterface extends DriverInterface {
  /** Every setting of the machine; kept as what the API shows under `bios`. */
  readSettings?(task: Task): Promise<readonly BiosSettingSeen[]>;
}

/** One firmware of the machine. */
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
  /** Every firmware of the machine; kept as what the API shows under `firmware`. */
  readComponents?(task: Task): Promise<readonly FirmwareSeen[]>;
}

export interface RaidInterface extends DriverInterface {
  /** What each logical disk may ask for; absent: the machine has no RAID. */
  readonly logicalDisk?: LogicalDiskSchema;
}

export const defineBios = (bios: BiosInterface): BiosInterface => bios;
export const defineFirmware = (firmware: FirmwareInterface): FirmwareInterface => firmware;
export const defineRaid = (raid: RaidInterface): RaidInterface => raid;
