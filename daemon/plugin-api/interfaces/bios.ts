// The contract of bios interfaces. Steps change BIOS settings; `readSettings` reads them.
import type { BiosRegistryEntry } from '../../model/records/bios-setting.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** One BIOS setting of the machine. */
export interface BiosSettingSeen extends Partial<BiosRegistryEntry> {
  readonly name: string;
  readonly value: string | null;
}

export interface BiosInterface extends DriverInterface {
  /** Returns every BIOS setting of the machine; the daemon stores them for the API's `bios` lists. */
  readSettings?(task: Task): Promise<readonly BiosSettingSeen[]>;
}

export const defineBios = (bios: BiosInterface): BiosInterface => bios;
