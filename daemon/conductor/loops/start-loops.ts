// The conductor's own work, from start to stop.
import { startPeriodic } from './periodic.ts';
import { recoverPowerFailures, syncPowerStates } from './power-sync.ts';
import type { Services } from '../services.ts';
import { watchWaitDeadlines } from './wait-deadlines.ts';

/** Starts every loop; the result stops them. */
export function startLoops(services: Services): () => void {
  const { conductor } = services.config;
  const failures = new Map<string, number>();
  const stops = [
    watchWaitDeadlines(services),
    startPeriodic(services, 'power sync', conductor.sync_power_state_interval, () =>
      syncPowerStates(services, failures),
    ),
    startPeriodic(services, 'power failure recovery', conductor.power_failure_recovery_interval, () =>
      recoverPowerFailures(services),
    ),
    startPeriodic(services, 'node history cleanup', conductor.node_history_cleanup_interval, async () => {
      if (conductor.node_history_max_entries > 0)
        services.db.history.trim(conductor.node_history_max_entries);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
