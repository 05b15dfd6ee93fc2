// Reads the health that the BMC reports for the machine.
import { isJsonObject, type JsonObject, type PeriodicWork } from '#plugin-api';
import { readSystem } from './system.ts';

type Health = 'OK' | 'Warning' | 'Critical';

/** Null when the BMC reports none. */
export function healthIn({ Status: status }: JsonObject): Health | null {
  const health = isJsonObject(status) ? status['Health'] : undefined;
  return health === 'OK' || health === 'Warning' || health === 'Critical' ? health : null;
}

export const healthWork: PeriodicWork = {
  description: 'Reads from the BMC the health of the machine.',
  interval: { section: 'redfish', option: 'health_interval' },
  async run(task) {
    // before verification it is unknown whether the BMC can be reached
    if (task.node.power_state === null) return;
    const health = healthIn(await readSystem(task, 'Reading the health'));
    if (health !== task.node.health) await task.update({ health });
  },
};
