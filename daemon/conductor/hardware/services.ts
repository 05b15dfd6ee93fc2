// What operations on the hardware of a machine need.
import type { NetworkBootServices } from '../boot/services.ts';
import type { ConsoleServices } from '../consoles/services.ts';
import type { DriverServices } from '../drivers/services.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface HardwareServices extends NetworkBootServices, ConsoleServices, DriverServices {}

export type HardwareTask = NodeTask<HardwareServices>;
