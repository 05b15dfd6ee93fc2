// Reads the node's health from the states of the chassis's parts. The health is polled, because the daemon does not receive the
// alerts that an IPMI BMC may send.
import type { PeriodicWork, Task } from '#plugin-api';
import { ipmitool } from './ipmitool.ts';

export type Health = 'OK' | 'Warning' | 'Critical';

/** Faults with which the machine keeps running but needs service. */
const warnings = ['Drive Fault', 'Cooling/Fan Fault'];
const criticals = ['Power Overload', 'Main Power Fault', 'Power Control Fault'];

/** Parses the output of `chassis status`. */
export function parseHealth(text: string): Health {
  const stated = text.split('\n').map((line) => line.split(':', 2).map((part) => part.trim()));
  const faulty = new Set(stated.flatMap(([part = '', state]) => (state === 'true' ? [part] : [])));
  if (criticals.some((part) => faulty.has(part))) return 'Critical';
  return warnings.some((part) => faulty.has(part)) ? 'Warning' : 'OK';
}

async function updateHealth(task: Task): Promise<void> {
  // before verification it is unknown whether the BMC can be reached
  if (task.node.power_state === null) return;
  const status = await ipmitool(task, {
    operation: 'Reading the chassis status',
    command: ['chassis', 'status'],
    confirmation: 'System Power',
  });
  const health = parseHealth(status);
  if (health !== task.node.health) await task.update({ health });
}

export const healthWork: PeriodicWork = {
  description:
    'Reads from the BMC whether a fan, a drive or the power supply has failed, as the health of the node.',
  interval: { section: 'ipmi', option: 'health_interval' },
  run: updateHealth,
};
