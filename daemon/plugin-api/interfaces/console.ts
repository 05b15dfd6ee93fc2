// The contract of console interfaces.
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

/** A program that carries a machine's serial line: it reads what is typed, and writes what the machine shows. */
export interface SerialProgram {
  readonly command: string;
  readonly arguments: readonly string[];
  /** The content of file descriptor 3. The secret is passed this way so that it appears in no argument list or environment. */
  readonly secret: string;
  /** The text that the program writes when the line is connected; what it writes earlier does not come from the machine. */
  readonly connectedBy: string;
  /** Characters that clients cannot send, because the program would take them as commands. */
  readonly withheld: string;
  /** The TCP port to offer the line at; null: a free port of `[console] port_range`, if that is set. */
  readonly port: number | null;
}

export interface ConsoleInterface extends DriverInterface {
  /** Makes the machine's console reachable. */
  startConsole?(task: Task): Promise<void>;
  /** Stops the console; does nothing if it has already stopped. */
  stopConsole?(task: Task): Promise<void>;
  /** Returns how to reach the console, as shown by the API: `{ type, url }`. Called while the console is enabled. Needs no lock. */
  getConsole?(task: Task): Promise<JsonObject>;
  /**
   * For a serial console, in place of `startConsole` and `getConsole`: prepares the machine for a connection and returns the
   * program to run. The daemon runs the program while the console is enabled, calls this again each time the program has ended,
   * keeps what the machine shows, and offers the line to clients. Needs no lock.
   */
  serialProgram?(task: Task): Promise<SerialProgram>;
}

export const defineConsole = (console: ConsoleInterface): ConsoleInterface => console;
