// Records the health that the BMC reports for the machine.
import { isJsonObject, type JsonObject, type PeriodicWork } from '#plugin-api';
import { converse } from '../bmc/converse.ts';

type Health = 'OK' | 'Warning' | 'Critical';

/** The answer to a reading of the power state has the health too; it is used up to this age. */
const FRESH_SECONDS = 120;

/** Null when the BMC reports none. */
export function healthIn({ Status: status }: JsonObject): Health | null {
  const health = isJsonObject(status) ? status['Health'] : undefined;
  return health === 'OK' || health === 'Warning' || health === 'Critical' ? health : null;
}

export const healthWork: PeriodicWork = {
  description:
    'Records the health of the machine, from the last reading of its power state if that is fresh.',
  interval: { section: 'redfish', option: 'health_interval' },
  async run(task) {
    // before verification it is unknown whether the BMC can be reached
    if (task.node.power_state === null) return;
    const system = await converse(task, { operation: 'Reading the health' }, (bmc) =>
      bmc.system(FRESH_SECONDS),
    );
    const health = healthIn(system);
    if (health !== task.node.health) await task.update({ health });
  },
};
