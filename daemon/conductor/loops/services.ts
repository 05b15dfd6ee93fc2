// What the work needs that the daemon does by itself.
import type { LivePlugins } from '../../plugin-host/live-plugins.ts';
import type { SensorReadings } from '../bmcs/sensor-readings.ts';
import type { TakeInServices } from '../take-in/services.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface LoopServices extends TakeInServices {
  readonly plugins: LivePlugins;
  readonly sensors: SensorReadings;
  /** By node: the messages from its BMC, counted from the one that made the daemon schedule a reading of the power state. */
  readonly unreadMessages: Map<string, number>;
}

export type LoopTask = NodeTask<LoopServices>;
