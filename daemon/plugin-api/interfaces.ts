// The contracts of the driver interfaces, one per interface type, and the functions that declare them.
import type { BootDevice } from '../model/boot-devices.ts';
import type { InterfaceType } from '../model/interface-types.ts';
import type { PowerState, PowerTarget } from '../model/power-states.ts';
import type { Task } from './task.ts';

/** One `driver_info` field that an interface reads. */
export interface PropertySpec {
  readonly description: string;
  readonly required?: true;
  readonly secret?: true;
}

/** Common to all interfaces. Instances are singletons without state of their own: the node record is the state. */
export interface DriverInterface {
  /** The `driver_info` fields it reads, by name. */
  readonly properties: Readonly<Record<string, PropertySpec>>;
  /**
   * Throws a fault (DriverInfoMissing, DriverInfoInvalid, UnsupportedDriverExtension) when the node cannot be driven
   * as it is described. Reads the record only; does not talk to the machine. Needs no lock.
   */
  validate(task: Task): void | Promise<void>;
}

export interface PowerInterface extends DriverInterface {
  /** Targets the machine can be asked for. */
  readonly supportedTargets: readonly PowerTarget[];
  /** False: the conductor never corrects the machine's power to what is recorded. */
  readonly supportsPowerSync: boolean;
  /** Asks the machine; `null` when it cannot tell. Throws BmcFailure when it cannot be asked. */
  getPowerState(task: Task): Promise<PowerState | null>;
  /** Resolves when the machine has reached the target. Throws when it has not within `timeoutSeconds`. */
  setPowerState(task: Task, target: PowerTarget, timeoutSeconds: number): Promise<void>;
}

export interface BootDeviceSetting {
  readonly boot_device: BootDevice | null;
  /** null: the machine cannot tell. */
  readonly persistent: boolean | null;
}

export interface ManagementInterface extends DriverInterface {
  supportedBootDevices(task: Task): readonly BootDevice[];
  getBootDevice(task: Task): Promise<BootDeviceSetting>;
  setBootDevice(task: Task, device: BootDevice, persistent: boolean): Promise<void>;
  /** `bios` or `uefi`, null when the machine cannot tell. */
  getBootMode?(task: Task): Promise<'bios' | 'uefi' | null>;
  /** MAC addresses of the machine's NICs, as far as the BMC knows them. */
  getMacAddresses?(task: Task): Promise<readonly string[]>;
}

/** `manageable`: inspection is complete; `inspect wait`: the ramdisk will report. */
export type InspectResult = 'manageable' | 'inspect wait';

export interface InspectInterface extends DriverInterface {
  /** Starts inspection; runs in state `inspecting`. */
  inspectHardware(task: Task): Promise<InspectResult>;
  /** Ends an inspection that is waiting for the ramdisk: on an operator's abort, on failure and after a timeout. */
  abort?(task: Task): Promise<void>;
  /** After the hooks have run on what the ramdisk sent: leaves the machine as it should stay. */
  finish?(task: Task): Promise<void>;
}

/** The interface of each type. Types without operations of their own yet are validated and described. */
export interface DriverInterfaces extends Record<InterfaceType, DriverInterface> {
  readonly power: PowerInterface;
  readonly management: ManagementInterface;
  readonly inspect: InspectInterface;
}

/** A node's composed driver: one interface per type. Nodes with the same interfaces share one. */
export type Driver = Readonly<DriverInterfaces>;

export const definePower = (power: PowerInterface): PowerInterface => power;
export const defineManagement = (management: ManagementInterface): ManagementInterface => management;
export const defineInspect = (inspect: InspectInterface): InspectInterface => inspect;
/** For the interface types that have no operations beyond `validate`. */
export const defineInterface = (any: DriverInterface): DriverInterface => any;
