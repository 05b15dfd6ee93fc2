// The conductor's own row: who drives the nodes, and whether it stopped in order.
import { now, type Services } from './services.ts';

export function registerConductor(services: Services, online: boolean): void {
  const time = now(services);
  services.db.conductors.put({
    hostname: services.host,
    conductor_group: services.config.conductor.conductor_group.toLowerCase(),
    drivers: [...services.registry.hardwareTypes.keys()],
    online,
    created_at: time,
    updated_at: time,
  });
}
