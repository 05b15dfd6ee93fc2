// Work that the daemon repeats for the nodes that use an interface.
import type { Task } from './task.ts';

export interface PeriodicWork {
  /** Shown in the log and in reference pages. */
  readonly description: string;
  /** Returns the seconds from the end of one round to the start of the next; 0 disables it. Called once, at start. */
  intervalSeconds(configuration: Task['configuration']): number;
  /**
   * Called in each round for every node that uses the interface, is not in maintenance and is not locked. A throw is
   * logged and has no other effect.
   */
  run(task: Task): Promise<void>;
}
