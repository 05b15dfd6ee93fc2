// The contract of management interfaces: boot device and mode, lights, virtual media, what the BMC knows.
import type { BootDevice } from '../model/boot-devices.ts';
import type { BootMode } from '../model/boot-modes.ts';
import type { Indicator, IndicatorState } from '../model/indicators.ts';
import type { VirtualMediaDevice, VirtualMediaDrive } from '../model/virtual-media.ts';
import type { DriverInterface } from './interfaces.ts';
import type { Task } from './task.ts';

export interface BootDeviceSetting {
  readonly boot_device: BootDevice | null;
  /** null: the machine cannot tell. */
  readonly persistent: boolean | null;
}

/** An operation that is absent is refused with UnsupportedDriverExtension. All throw BmcFailure when the BMC fails them. */
export interface ManagementInterface extends DriverInterface {
  supportedBootDevices(task: Task): readonly BootDevice[];
  getBootDevice(task: Task): Promise<BootDeviceSetting>;
  setBootDevice(task: Task, device: BootDevice, persistent: boolean): Promise<void>;
  /** null when the machine cannot tell. */
  getBootMode?(task: Task): Promise<BootMode | null>;
  /** Holds from the next boot on. Called only when `getBootMode` did not say that it holds already. */
  setBootMode?(task: Task, mode: BootMode): Promise<void>;
  /** null when the machine cannot tell. */
  getSecureBoot?(task: Task): Promise<boolean | null>;
  /** Holds from the next boot on. Called only when `getSecureBoot` did not say that it holds already. */
  setSecureBoot?(task: Task, enabled: boolean): Promise<void>;
  /** Raises a non-maskable interrupt, for a crash dump of a system that hangs. */
  injectNmi?(task: Task): Promise<void>;
  /** The machine's lights. Needs no lock. */
  listIndicators?(task: Task): Promise<readonly Indicator[]>;
  getIndicatorState?(task: Task, indicator: Indicator): Promise<IndicatorState>;
  /** `state` is one of the indicator's own, and the indicator is not readonly. */
  setIndicatorState?(task: Task, indicator: Indicator, state: IndicatorState): Promise<void>;
  /** The BMC's drives, empty ones too. Needs no lock. */
  listVirtualMedia?(task: Task): Promise<readonly VirtualMediaDrive[]>;
  /** Puts the image at `imageUrl`, which the BMC itself must reach, into the drive. */
  attachVirtualMedia?(task: Task, device: VirtualMediaDevice, imageUrl: string): Promise<void>;
  /** Empties the drives; an empty one is no error. */
  detachVirtualMedia?(task: Task, devices: readonly VirtualMediaDevice[]): Promise<void>;
  /** MAC addresses of the machine's NICs, as far as the BMC knows them. */
  getMacAddresses?(task: Task): Promise<readonly string[]>;
}

export const defineManagement = (management: ManagementInterface): ManagementInterface => management;
