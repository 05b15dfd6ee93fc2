// Work that the daemon repeats for an interface.
import type { Task } from './task.ts';

export interface PeriodicWork {
  /** What it does, for the log and the reference. */
  readonly description: string;
  /** Seconds between the end of one round and the start of the next; 0: never. Asked once, at the start. */
  intervalSeconds(configuration: Task['configuration']): number;
  /**
   * Called in each round for every node that uses the interface, is not in maintenance and is not locked. A failure is
   * logged and ends nothing.
   */
  run(task: Task): Promise<void>;
}
