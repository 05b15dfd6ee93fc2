// Reads the node's system: power, boot and health are in one resource.
import type { JsonObject, Task } from '#plugin-api';
import { converse } from './redfish.ts';

/** Throws the faults of `converse`. */
export const readSystem = (task: Task, operation: string): Promise<JsonObject> =>
  converse(task, operation, async (bmc) => bmc.get(await bmc.systemPath()));
