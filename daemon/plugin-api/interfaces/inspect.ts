// The contract of inspect interfaces.
import type { JsonObject } from '../../model/json.ts';
import type { Interval } from '../periodic.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** What an interface has found out about the machine without a ramdisk, for example from the BMC. */
export interface InspectionReport {
  /** The hardware in the form of a ramdisk's inventory, with at least one entry in `interfaces`, each with a `mac_address`. */
  readonly inventory: JsonObject;
  /** Further data for hooks and for the stored inventory. */
  readonly pluginData?: JsonObject;
}

/**
 * `manageable`: the inspection is complete. `inspect wait`: the ramdisk will report. A report: the inspection is complete once
 * hooks and rules have processed it.
 */
export type InspectResult = 'manageable' | 'inspect wait' | InspectionReport;

/** `report`: the inspection data, in the JSON form that ramdisks post; undefined when there is nothing to store. */
export type InspectProgress = 'waiting' | { readonly report: Uint8Array | undefined };

export interface InspectInterface extends DriverInterface {
  /** The option (a list) with the hooks for reports of `inspectHardware`. Not set: `[inspector] hooks`. */
  readonly hooks?: { readonly section: string; readonly option: string };
  /** Starts an inspection; called in state `inspecting`. */
  inspectHardware(task: Task): Promise<InspectResult>;
  /** Ends an inspection: called on an operator's abort, a timeout or any failure, also one of `inspectHardware`. */
  abort?(task: Task): Promise<void>;
  /**
   * Brings the machine into its final state. Called when the results of an inspection have been stored, and when discovery has
   * enrolled the machine. Not called after `inspectHardware` has returned `manageable`.
   */
  finish?(task: Task): Promise<void>;
  /**
   * For an interface whose inspections are run by an external service: forwards the ramdisk's report (JSON) to the
   * service, in place of the hooks. The node stays in `inspect wait`, unlocked, so that the service can change it. If
   * this operation throws, the inspection fails.
   */
  passOn?(task: Task, report: Uint8Array): Promise<void>;
  /** Polls a waiting inspection for its end, also after a restart of the daemon. */
  readonly poll?: {
    /** The longest interval between two checks; they are more frequent at first and after the ramdisk has reported. */
    readonly interval: Interval;
    /** Throws an InspectionError when the inspection has failed. After any other error, `check` is called again. */
    check(task: Task): Promise<InspectProgress>;
  };
}

export const defineInspect = (inspect: InspectInterface): InspectInterface => inspect;
