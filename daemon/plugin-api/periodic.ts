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
  /** From the end of one round to the start of the next; 0 disables the work. */
  readonly interval: Interval;
  /** Not set: all nodes that are not in maintenance. */
  readonly nodes?: NodeSelection;
  /**
   * `false`: runs also on nodes that are locked, and without locking them: for work that only reads. Not set: the node is
   * locked for the work; one that is locked already is left for the next round.
   */
  readonly locks?: false;
  /**
   * Called first, without the node's lock: `run` is called only if it returns true, and must then look again. For work
   * that mostly finds nothing to change.
   */
  concerns?(task: Task): Promise<boolean>;
  /** Called in each round for every selected node that uses the interface. A throw is logged and has no other effect. */
  run(task: Task): Promise<void>;
}
