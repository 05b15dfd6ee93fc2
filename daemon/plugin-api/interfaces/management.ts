// The contract of management interfaces: boot device and mode, Secure Boot, NMI, indicators, virtual media, MAC
// addresses, events and sensors.
import type { BootDevice } from '../../model/machine/boot-devices.ts';
import type { JsonObject } from '../../model/json.ts';
import type { BootMode } from '../../model/machine/boot-modes.ts';
import type { MachineIdentity } from '../../model/machine/machine-identity.ts';
import type { Indicator, IndicatorState } from '../../model/machine/indicators.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { VirtualMediaDevice, VirtualMediaDrive } from '../../model/machine/virtual-media.ts';
import type { DriverInterface } from './driver-interface.ts';
import type { Task } from '../task.ts';

export interface BootDeviceSetting {
  readonly boot_device: BootDevice | null;
  /** null when the machine does not report it. */
  readonly persistent: boolean | null;
}

/** Calling an absent operation is refused with UnsupportedDriverExtension. All operations throw BmcFailure when the BMC fails. */
export interface ManagementInterface extends DriverInterface {
  supportedBootDevices(task: Task): Promise<readonly BootDevice[]>;
  getBootDevice(task: Task): Promise<BootDeviceSetting>;
  setBootDevice(task: Task, device: BootDevice, persistent: boolean): Promise<void>;
  /** Returns null when the machine does not report its boot mode. */
  getBootMode?(task: Task): Promise<BootMode | null>;
  /** Takes effect at the next boot. Not called when `getBootMode` already returned `mode`. */
  setBootMode?(task: Task, mode: BootMode): Promise<void>;
  /** Returns null when the machine does not report Secure Boot. */
  getSecureBoot?(task: Task): Promise<boolean | null>;
  /** Takes effect at the next boot. Not called when `getSecureBoot` already returned `enabled`. */
  setSecureBoot?(task: Task, enabled: boolean): Promise<void>;
  /** Raises a non-maskable interrupt, to get a crash dump from a system that hangs. */
  injectNmi?(task: Task): Promise<void>;
  /** Returns the machine's indicators (LEDs). Needs no lock. */
  listIndicators?(task: Task): Promise<readonly Indicator[]>;
  getIndicatorState?(task: Task, indicator: Indicator): Promise<IndicatorState>;
  /** Called only with one of the indicator's `states`, and only if the indicator is not readonly. */
  setIndicatorState?(task: Task, indicator: Indicator, state: IndicatorState): Promise<void>;
  /** Returns the BMC's virtual drives, including empty ones. Needs no lock. */
  listVirtualMedia?(task: Task): Promise<readonly VirtualMediaDrive[]>;
  /** Inserts the image at `imageUrl`, which the BMC itself must be able to reach. */
  attachVirtualMedia?(task: Task, device: VirtualMediaDevice, imageUrl: string): Promise<void>;
  /** Ejects the images from the drives; does nothing for an empty drive. */
  detachVirtualMedia?(task: Task, devices: readonly VirtualMediaDevice[]): Promise<void>;
  /** The keys of driver_info with the user and the password with which the plugin logs in to the BMC. */
  readonly login?: { readonly username: string; readonly password: string };
  /**
   * Logs in as `username` with `password` in place of the login in driver_info, in a session of its own. Returns false when the BMC
   * refuses the login, and true also when it wants the password changed before anything else; throws when it does not answer.
   */
  checkPassword?(task: Task, password: string, username: string): Promise<boolean>;
  /**
   * Changes the password of the user with which the plugin logs in; the daemon then changes driver_info. Throws BmcPasswordRefused
   * when the rules of the BMC refuse the password.
   */
  setPassword?(task: Task, password: string): Promise<void>;
  /**
   * Makes the user an administrator of the BMC with this password; a user of this name that exists gets the password. Throws
   * BmcPasswordRefused, and BmcPasswordChangeRequired when the password of the login in driver_info must be changed before.
   */
  makeUser?(task: Task, username: string, password: string): Promise<void>;
  /** Returns what the BMC says of which machine this is, placeholders included. Needs no lock. */
  identify?(task: Task): Promise<MachineIdentity>;
  /** Returns the MAC addresses that the BMC reports for the machine's NICs. */
  getMacAddresses?(task: Task): Promise<readonly string[]>;
  /**
   * Makes the BMC send its events to the daemon, at the URL from `task.renewEventUrl`. Called at intervals if `[bmc_events]
   * enabled` is set, so check first whether the BMC still has the subscription.
   */
  subscribe?(task: Task): Promise<void>;
  /**
   * Called if a URL from `task.renewEventUrl` is in use: before the node is deleted, is handed over to another service, or gets
   * another driver or management interface; and when `[bmc_events] enabled` is off. The daemon does not wait longer than ten
   * seconds.
   */
  unsubscribe?(task: Task): Promise<void>;
  /** Returns the events in a message of the BMC as sentences for the timeline. Sends no request to the BMC. Needs no lock. */
  readEvents?(task: Task, message: JsonObject): Promise<readonly string[]>;
  /** Reads the machine's sensors; called at intervals if `[sensor_data] send_sensor_data` is set. Needs no lock. */
  readSensors?(task: Task): Promise<readonly SensorReading[]>;
}

export const defineManagement = (management: ManagementInterface): ManagementInterface => management;
