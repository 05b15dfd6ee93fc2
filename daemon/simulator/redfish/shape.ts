// The differences between the BMCs of vendors, as data.

/**
 * How a BMC treats ETags. `required`: the BMC refuses a PATCH without If-Match. `broken`: the BMC refuses every PATCH with
 * If-Match, even with the ETag that it has sent. `unknown`: the BMC does not know If-Match and answers it with status 400.
 * `empty`: the ETag that the BMC sends is empty.
 */
export type EtagHabit = 'none' | 'strong' | 'weak' | 'required' | 'broken' | 'unknown' | 'empty';

/** How a BMC keeps the accounts of its users. */
export interface AccountHabits {
  /** The number of slots, of which unused ones have no user name and are changed; 0: an account is made with POST. */
  readonly slots: number;
  /** The Ids of slots that cannot be changed. */
  readonly reservedSlots: readonly string[];
  /** The Id of the account of the factory, unless its Id is its name. */
  readonly factoryId: string;
  /** Whether the Id of an account is its user name. */
  readonly idIsName: boolean;
  /** The properties that a new account must have, as in `Oem.Hpe.LoginName`. */
  readonly needs: readonly string[];
  /** The lengths of passwords. */
  readonly shortest: number;
  readonly longest: number;
  /** Whether the other rules for passwords admit this one. */
  readonly admits: (password: string) => boolean;
  /** How many wrong passwords in a row lock an account. */
  readonly lockoutThreshold: number;
  /**
   * The password of the factory `stays`; or must be changed: that `is reported` at the account, `refuses` everything but the change
   * with status 403, or in addition `opens no session`.
   */
  readonly firstPassword: 'stays' | 'is reported' | 'refuses' | 'opens no session';
}

export interface MachineShape {
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
  /** What precedes the serial number in the host name of a BMC's DHCP requests; null: the requests have no host name. */
  readonly hostNamePrefix: string | null;
  /** The vendor class of the DHCP requests; null: they have none. */
  readonly vendorClass: string | null;
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
  readonly accounts: AccountHabits;
}

export const plainAccounts: AccountHabits = {
  slots: 0,
  reservedSlots: [],
  factoryId: '1',
  idIsName: false,
  needs: ['UserName', 'Password', 'RoleId'],
  shortest: 8,
  longest: 20,
  admits: () => true,
  lockoutThreshold: 5,
  firstPassword: 'stays',
};

/** A BMC of no real vendor, which follows the specification and needs no special treatment. */
export const plain: MachineShape = {
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
  hostNamePrefix: null,
  vendorClass: null,
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
  accounts: plainAccounts,
};
