// What a chassis says of its parts, as the node's health: asked at intervals, for no BMC tells it by itself.
import type { PeriodicWork, Task } from '#plugin-api';
import { ipmitool } from './ipmitool.ts';

export type Health = 'OK' | 'Warning' | 'Critical';

/** The machine runs on, but somebody should come. */
const warnings = ['Drive Fault', 'Cooling/Fan Fault'];
const criticals = ['Power Overload', 'Main Power Fault', 'Power Control Fault'];

/** From what `chassis status` prints. */
export function parseHealth(text: string): Health {
  const stated = text.split('\n').map((line) => line.split(':', 2).map((part) => part.trim()));
  const faulty = new Set(stated.flatMap(([part = '', state]) => (state === 'true' ? [part] : [])));
  if (criticals.some((part) => faulty.has(part))) return 'Critical';
  return warnings.some((part) => faulty.has(part)) ? 'Warning' : 'OK';
}

async function updateHealth(task: Task): Promise<void> {
  // before the node is verified nobody knows whether its BMC can be asked
  if (task.node.power_state === null) return;
  const status = await ipmitool(task, {
    operation: 'Reading the chassis status',
    command: ['chassis', 'status'],
    confirmation: 'System Power',
  });
  const health = parseHealth(status);
  if (health !== task.node.health) task.update({ health });
}

export const healthWork: PeriodicWork = {
  description:
    'Reads from the BMC whether a fan, a drive or the power supply has failed: the health of the node.',
  intervalSeconds: (configuration) => Number(configuration['ipmi']?.['health_interval']),
  run: updateHealth,
};
