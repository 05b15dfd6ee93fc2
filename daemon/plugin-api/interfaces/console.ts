// The contract of console interfaces.
import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../task.ts';
import type { DriverInterface } from './driver-interface.ts';

export interface ConsoleInterface extends DriverInterface {
  /** Makes the machine's console reachable. */
  startConsole?(task: Task): Promise<void>;
  /** Stops the console; does nothing if it has already stopped. */
  stopConsole?(task: Task): Promise<void>;
  /** Returns how to reach the console, as shown by the API: `{ type, url }`. Called while enabled; needs no lock. */
  getConsole?(task: Task): Promise<JsonObject>;
}

export const defineConsole = (console: ConsoleInterface): ConsoleInterface => console;
