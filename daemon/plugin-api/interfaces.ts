// The contracts of the driver interfaces, one per interface type, and the functions that declare them.
import type { InterfaceType } from '../model/interface-types.ts';
import type { JsonObject } from '../model/json.ts';
import type { NamedStep } from '../model/step-lists.ts';
import type { PowerState, PowerTarget } from '../model/power-states.ts';
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
  /** Its value is never shown. Names tell secrets everywhere, so the name says it too: `acme_password`. */
  readonly secret?: true;
  /** A value as it is typed, which `validate` takes. */
  readonly example?: string;
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
  /** By name, without the interface type. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** The steps that the ramdisk's agent offers for this interface type are this interface's too. */
  readonly offersAgentSteps?: true;
  /** The agent has ended a step of this interface type well, with `result`. */
  agentStepEnded?(task: Task, step: NamedStep, result: JsonObject): void | Promise<void>;
  /** By name: what the daemon repeats on the nodes that use the interface. */
  readonly periodic?: Readonly<Record<string, PeriodicWork>>;
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

/** `manageable`: inspection is complete; `inspect wait`: the ramdisk will report. */
export type InspectResult = 'manageable' | 'inspect wait';

/** `report`: what was found, in the form in which ramdisks post it; undefined: nothing is to be stored. */
export type InspectProgress = 'waiting' | { readonly report: Uint8Array | undefined };

export interface InspectInterface extends DriverInterface {
  /** Starts inspection; runs in state `inspecting`. */
  inspectHardware(task: Task): Promise<InspectResult>;
  /** Ends an inspection that is waiting for the ramdisk: on an operator's abort, on failure and after a timeout. */
  abort?(task: Task): Promise<void>;
  /** After the hooks have run on what the ramdisk sent, or `poll` has: leaves the machine as it should stay. */
  finish?(task: Task): Promise<void>;
  /**
   * For an interface whose inspections somebody else carries out: takes what the ramdisk posted (JSON), instead of the
   * hooks. The node goes on waiting, and is not locked, so that others may change it. Throws what ends the inspection.
   */
  passOn?(task: Task, report: Uint8Array): Promise<void>;
  /** Asks for the end of an inspection that waits, also after a restart of the daemon. */
  readonly poll?: {
    /** The most seconds between two checks. They are more frequent when the wait has begun or the ramdisk has reported. */
    intervalSeconds(configuration: Task['configuration']): number;
    /** Throws an InspectionError when the inspection has failed; after anything else it is called again. */
    check(task: Task): Promise<InspectProgress>;
  };
}

export interface ConsoleInterface extends DriverInterface {
  /** Makes the machine's console reachable. */
  startConsole?(task: Task): Promise<void>;
  /** Ends that; a console that has ended already is no error. */
  stopConsole?(task: Task): Promise<void>;
  /** How to reach the console, as the API shows it: `{ type, url }`. Called while it is enabled; needs no lock. */
  getConsole?(task: Task): Promise<JsonObject>;
}

/** A virtual interface of somebody's network; more than its id is the network interface's own affair. */
export interface Vif extends JsonObject {
  readonly id: string;
}

export interface NetworkInterface extends DriverInterface {
  /** The node's VIFs. Needs no lock. */
  listVifs?(task: Task): Promise<readonly Vif[]>;
  /** Throws InvalidState when it is attached already, Invalid when no port is free. */
  attachVif?(task: Task, vif: Vif): Promise<void>;
  /** Throws Invalid when it is not attached. */
  detachVif?(task: Task, id: string): Promise<void>;
}

/** The interface of each type. Types without operations of their own yet are validated and described. */
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
 * A node's composed driver: one interface per type. Reading one that the node has and that is not enabled (any more)
 * throws a fault that says so.
 */
export type Driver = Readonly<DriverInterfaces>;

export const definePower = (power: PowerInterface): PowerInterface => power;
export const defineInspect = (inspect: InspectInterface): InspectInterface => inspect;
export const defineConsole = (console: ConsoleInterface): ConsoleInterface => console;
export const defineNetwork = (network: NetworkInterface): NetworkInterface => network;
/** For the interface types that have no operations beyond `validate`. */
export const defineInterface = (any: DriverInterface): DriverInterface => any;
