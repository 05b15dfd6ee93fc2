// The contracts of the driver interfaces, one per interface type, and the functions that define them.
import type { InterfaceType } from '../model/machine/interface-types.ts';
import type { JsonObject } from '../model/json.ts';
import type { NamedStep } from '../model/steps/step-lists.ts';
import type { PowerState, PowerTarget } from '../model/states/power-states.ts';
import type { BootInterface, DeployInterface, RescueInterface } from './deployment.ts';
import type { BiosInterface, FirmwareInterface, RaidInterface } from './machine-parts.ts';
import type { ManagementInterface } from './management.ts';
import type { PeriodicWork } from './periodic.ts';
import type { Step } from './steps.ts';
import type { Task } from './task.ts';
import type { VendorInterface } from './vendor.ts';

/** One `driver_info` field that an interface reads. */
export interface PropertySpec {
  readonly description: string;
  readonly required?: true;
  /** Never show the value. Masking goes by name, so the name must contain password, secret or token. */
  readonly secret?: true;
  /** A value that `validate` accepts, as an operator would type it. */
  readonly example?: string;
}

/** Common to all interfaces. Instances are stateless singletons: all state is in the node record. */
export interface DriverInterface {
  /** The `driver_info` fields that the interface reads, by name. */
  readonly properties: Readonly<Record<string, PropertySpec>>;
  /**
   * Throws a fault (DriverInfoMissing, DriverInfoInvalid, UnsupportedDriverExtension) when the node's record lacks what
   * the interface needs. Reads the record only; does not talk to the machine. Needs no lock.
   */
  validate(task: Task): void | Promise<void>;
  /** Steps by name, without the interface type. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** Whether the interface also offers the steps that the ramdisk's agent has for this interface type. */
  readonly offersAgentSteps?: true;
  /** Called with the result of an agent step of this interface type that succeeded. */
  agentStepEnded?(task: Task, step: NamedStep, result: JsonObject): void | Promise<void>;
  /** Work that the daemon repeats for the nodes that use the interface, by name. */
  readonly periodic?: Readonly<Record<string, PeriodicWork>>;
}

export interface PowerInterface extends DriverInterface {
  /** The power targets that the machine supports. */
  readonly supportedTargets: readonly PowerTarget[];
  /** Whether the conductor may correct the machine's power state to the recorded one. */
  readonly supportsPowerSync: boolean;
  /** Returns the machine's power state, or null when the machine cannot tell. Throws BmcFailure when the BMC fails. */
  getPowerState(task: Task): Promise<PowerState | null>;
  /** Resolves when the machine has reached the target. Throws if it has not within `timeoutSeconds`. */
  setPowerState(task: Task, target: PowerTarget, timeoutSeconds: number): Promise<void>;
}

/** `manageable`: inspection is complete; `inspect wait`: the ramdisk will report. */
export type InspectResult = 'manageable' | 'inspect wait';

/** `report`: the inspection data, in the JSON form that ramdisks post; undefined when there is nothing to store. */
export type InspectProgress = 'waiting' | { readonly report: Uint8Array | undefined };

export interface InspectInterface extends DriverInterface {
  /** Starts an inspection; called in state `inspecting`. */
  inspectHardware(task: Task): Promise<InspectResult>;
  /** Ends an inspection that waits for the ramdisk: called on an operator's abort, a failure or a timeout. */
  abort?(task: Task): Promise<void>;
  /** Called once the report from the ramdisk or `poll` has been processed: leaves the machine in its final state. */
  finish?(task: Task): Promise<void>;
  /**
   * For an interface whose inspections are run by an external service: forwards the ramdisk's report (JSON) to the
   * service, in place of the hooks. The node stays in `inspect wait`, unlocked, so that the service can change it.
   * A throw fails the inspection.
   */
  passOn?(task: Task, report: Uint8Array): Promise<void>;
  /** Polls a waiting inspection for its end, also after a restart of the daemon. */
  readonly poll?: {
    /** The longest interval between two checks; they are more frequent at first and after the ramdisk has reported. */
    intervalSeconds(configuration: Task['configuration']): number;
    /** Throws an InspectionError when the inspection has failed; after any other error it is called again. */
    check(task: Task): Promise<InspectProgress>;
  };
}

export interface ConsoleInterface extends DriverInterface {
  /** Makes the machine's console reachable. */
  startConsole?(task: Task): Promise<void>;
  /** Stops the console; does nothing if it has already stopped. */
  stopConsole?(task: Task): Promise<void>;
  /** Returns how to reach the console, as shown by the API: `{ type, url }`. Called while enabled; needs no lock. */
  getConsole?(task: Task): Promise<JsonObject>;
}

/** A virtual network interface (VIF). Members other than `id` are for the network interface only. */
export interface Vif extends JsonObject {
  readonly id: string;
}

export interface NetworkInterface extends DriverInterface {
  /** Returns the node's VIFs. Needs no lock. */
  listVifs?(task: Task): Promise<readonly Vif[]>;
  /** Throws InvalidState when the VIF is already attached, Invalid when no port is free. */
  attachVif?(task: Task, vif: Vif): Promise<void>;
  /** Throws Invalid when the VIF is not attached. */
  detachVif?(task: Task, id: string): Promise<void>;
}

/** The contract of each interface type. A type without operations of its own has the common members only. */
export interface DriverInterfaces extends Record<InterfaceType, DriverInterface> {
  readonly bios: BiosInterface;
  readonly boot: BootInterface;
  readonly console: ConsoleInterface;
  readonly deploy: DeployInterface;
  readonly firmware: FirmwareInterface;
  readonly inspect: InspectInterface;
  readonly management: ManagementInterface;
  readonly network: NetworkInterface;
  readonly power: PowerInterface;
  readonly raid: RaidInterface;
  readonly rescue: RescueInterface;
  readonly vendor: VendorInterface;
}

/**
 * A node's composed driver: one interface per type. Reading an interface that the node uses but the configuration does
 * not enable throws a fault that names it.
 */
export type Driver = Readonly<DriverInterfaces>;

export const definePower = (power: PowerInterface): PowerInterface => power;
export const defineInspect = (inspect: InspectInterface): InspectInterface => inspect;
export const defineConsole = (console: ConsoleInterface): ConsoleInterface => console;
export const defineNetwork = (network: NetworkInterface): NetworkInterface => network;
/** Defines an interface of a type that has no operations beyond `validate`. */
export const defineInterface = (any: DriverInterface): DriverInterface => any;
