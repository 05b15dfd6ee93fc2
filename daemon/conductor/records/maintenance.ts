// Maintenance mode, set and cleared by an operator.
import { withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';

export function setMaintenance(
  services: Services,
  caller: Caller,
  uuid: string,
  reason: string | null,
): Promise<void> {
  return withTask({ services, caller }, uuid, (task) =>
    task.store({ maintenance: true, maintenance_reason: reason }),
  );
}

export function clearMaintenance(services: Services, caller: Caller, uuid: string): Promise<void> {
  return withTask({ services, caller }, uuid, (task) =>
    task.store({ maintenance: false, maintenance_reason: null, fault: null }),
  );
}
