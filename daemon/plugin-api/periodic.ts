// Work that the daemon repeats for the nodes that use an interface.
import type { ProvisionState } from '../model/states/provision-states.ts';
import type { Task } from './task.ts';

/** A number of seconds, or the option that holds it: `{ section: 'acme', option: 'health_interval' }`. */
export type Interval = number | { readonly section: string; readonly option: string };

/** Which nodes to work on; a node must match all that is given. One query of the database finds them. */
export interface NodeSelection {
  /** Not set: nodes in every state. */
  readonly states?: readonly ProvisionState[];
  /** Not set: only nodes that are not in maintenance. */
  readonly maintenance?: boolean | 'any';
  /** A key that the node's `driver_internal_info` must have. */
  readonly internalInfo?: string;
}

export interface PeriodicWork {
  /** Shown in the log and in reference pages. */
  readonly description: string;
  /**
   * The time between the starts of two rounds. A round that takes longer delays the next by whole intervals. 0 disables
   * the work.
   */
  readonly interval: Interval;
  /** Not set: all nodes that are not in maintenance. */
  readonly nodes?: NodeSelection;
  /**
   * `false`: also runs on locked nodes, and does not lock nodes itself, for work that only reads. Not set: the work
   * locks the node; a node that is already locked is left for the next round.
   */
  readonly locks?: false;
  /**
   * Called first, without the node's lock. `run` is called only if this returns true, and must check again. Meant for work that
   * usually finds nothing to change. Not called with `locks: false`.
   */
  concerns?(task: Task): Promise<boolean>;
  /**
   * Called in each round for every selected node that uses the interface, except where `locks` or `concerns` prevents it. If it
   * throws, the error is logged and nothing else happens.
   */
  run(task: Task): Promise<void>;
}
