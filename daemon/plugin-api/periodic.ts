// Work that the daemon repeats for the nodes that use an interface.
import type { Task } from './task.ts';

/** A number of seconds, or the option that holds it: `{ section: 'acme', option: 'health_interval' }`. */
export type Interval = number | { readonly section: string; readonly option: string };

export interface PeriodicWork {
  /** Shown in the log and in reference pages. */
  readonly description: string;
  /** From the end of one round to the start of the next; 0 disables the work. */
  readonly interval: Interval;
  /**
   * Called in each round for every node that uses the interface, is not in maintenance and is not locked. A throw is
   * logged and has no other effect.
   */
  run(task: Task): Promise<void>;
}
