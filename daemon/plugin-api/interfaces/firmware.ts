// The contract of firmware interfaces. Steps update firmware; `readComponents` reads its versions.
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** One firmware component of the machine. */
export interface FirmwareSeen {
  /** The name of the component: `bios`, `bmc` or `nic:...`. */
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

export const defineFirmware = (firmware: FirmwareInterface): FirmwareInterface => firmware;
