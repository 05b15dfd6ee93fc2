// Maintenance mode, set and cleared by an operator.
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import type { RecordServices } from './services.ts';

/** The changes that end a node's maintenance. */
export const withoutMaintenance = { maintenance: false, maintenance_reason: null, fault: null } as const;

export function setMaintenance(
  call: Call<RecordServices>,
  uuid: string,
  reason: string | null,
): Promise<void> {
  return withTask(call, uuid, (task) => task.store({ maintenance: true, maintenance_reason: reason }));
}

export function clearMaintenance(call: Call<RecordServices>, uuid: string): Promise<void> {
  return withTask(call, uuid, (task) => task.store(withoutMaintenance));
}
