// The differences between the BMCs of vendors, as data.

/**
 * How a BMC treats ETags. `required`: the BMC refuses a PATCH without If-Match. `broken`: the BMC refuses every PATCH with
 * If-Match, even with the ETag that it has sent. `empty`: the ETag that the BMC sends is empty.
 */
export type EtagHabit = 'none' | 'strong' | 'weak' | 'required' | 'broken' | 'empty';

export interface Shape {
  /** The last parts of the paths of system, manager and chassis. */
  readonly system: string;
  readonly manager: string;
  readonly chassis: string;
  readonly manufacturer: string;
  readonly model: string;
  /** `Vendor`, `Product` and the key of `Oem` in the service root; each is null if the root does not have it. */
  readonly rootVendor: string | null;
  readonly product: string | null;
  readonly oem: string | null;
  readonly managerModel: string;
  readonly managerFirmware: string;
  readonly etag: EtagHabit;
  /** The largest number of sessions; 0: the BMC has no session service. */
  readonly sessionLimit: number;
  readonly expand: boolean;
  readonly managersIn: 'ManagedBy' | 'Managers';

  readonly resets: readonly string[];
  /** Where the BMC lists its reset types: in the action, in a resource of their own, or nowhere. */
  readonly resetsIn: 'action' | 'ActionInfo' | 'nowhere';
  readonly refusesRedundantResets: boolean;
  readonly showsProgress: boolean;

  readonly targets: readonly string[];
  /** The name of the settings resource that takes `Boot`; null: the system takes it. */
  readonly bootSettings: string | null;
  /**
   * How the BMC treats BootSourceOverrideMode. `hidden`: it is neither readable nor writable. `forgotten`: it becomes Legacy when a
   * change of `Boot` does not contain it.
   */
  readonly bootMode: 'writable' | 'hidden' | 'forgotten';
  readonly takesContinuous: boolean;
  readonly bootNeeds: readonly string[];
  /** Whether the BMC refuses a BootSourceOverrideEnabled other than Disabled while the target is None. */
  readonly enabledNeedsTarget: boolean;
  readonly refusesBootDuringPost: boolean;
  readonly hasHttpBootUri: boolean;
  readonly secureBootNeedsLicence: boolean;

  readonly mediaAt: 'system' | 'manager';
  /** Media types by slot. */
  readonly media: Readonly<Record<string, readonly string[]>>;
  /** `IsoConfig`: a configuration beside the slots mounts the image that it names, as on older Supermicros. */
  readonly mediaBy: 'action' | 'patch' | 'IsoConfig';
  readonly slotsForConsole: readonly string[];
  readonly insertNeeds: readonly string[];
  readonly insertTakesImageOnly: boolean;
  readonly ejectNeedsBody: boolean;

  /** The last part of the path of the BIOS; null if the BMC has no BIOS resource. */
  readonly bios: string | null;
  readonly biosSettings: string;
  readonly linksBiosSettings: boolean;
  readonly biosPending: 'changes' | 'all';

  readonly simpleStorage: boolean;
  /** Where the sensors of the chassis are: in Thermal and Power, or in a collection. */
  readonly sensorsIn: 'Thermal' | 'Sensors';
  /** When a change of volumes can take effect. */
  readonly volumeApplyTimes: readonly string[];
  readonly tasksVanish: boolean;
  readonly hasSimpleUpdate: boolean;
  /** How the BMC takes uploads of firmware: as the file of a form, as raw bytes, or not at all. */
  readonly updatesPushed: 'form' | 'raw' | 'no';
  /** Whether EthernetInterfaces show the MAC addresses of network cards. */
  readonly showsMacs: boolean;
  readonly refusesEventTypes: boolean;
}

/** A BMC of no real vendor, which follows the specification and needs no special treatment. */
export const plain: Shape = {
  system: '1',
  manager: 'BMC',
  chassis: '1',
  manufacturer: 'Contoso',
  model: 'Model 1',
  rootVendor: 'Contoso',
  product: null,
  oem: null,
  managerModel: 'BMC',
  managerFirmware: '1.0.0',
  etag: 'none',
  sessionLimit: 16,
  expand: false,
  managersIn: 'ManagedBy',
  resets: ['On', 'ForceOff', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'Nmi'],
  resetsIn: 'action',
  refusesRedundantResets: false,
  showsProgress: false,
  targets: ['None', 'Pxe', 'Hdd', 'Cd', 'BiosSetup', 'UefiHttp'],
  bootSettings: null,
  bootMode: 'writable',
  takesContinuous: true,
  bootNeeds: [],
  enabledNeedsTarget: false,
  refusesBootDuringPost: false,
  hasHttpBootUri: true,
  secureBootNeedsLicence: false,
  mediaAt: 'system',
  media: { CD: ['CD', 'DVD'], USB: ['USBStick'] },
  mediaBy: 'action',
  slotsForConsole: [],
  insertNeeds: [],
  insertTakesImageOnly: false,
  ejectNeedsBody: false,
  bios: 'Bios',
  biosSettings: 'Settings',
  linksBiosSettings: true,
  biosPending: 'changes',
  simpleStorage: false,
  sensorsIn: 'Thermal',
  volumeApplyTimes: ['Immediate', 'OnReset'],
  tasksVanish: false,
  hasSimpleUpdate: true,
  updatesPushed: 'no',
  showsMacs: true,
  refusesEventTypes: false,
};
