// Starts and stops the conductor's background loops.
import { resumeAllocations } from '../records/allocations/allocation-records.ts';
import { followAgentSteps } from './agent-step-ends.ts';
import { watchIdleRamdisks } from './idle-ramdisks.ts';
import { pollInspections } from './inspection-polls.ts';
import { keepSubscriptions } from '../bmc-events/subscriptions.ts';
import { startInterfaceWork } from './interface-work.ts';
import { startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import { PowerSync, recoverPowerFailures } from './power-sync.ts';
import { startSensorRounds } from './sensor-rounds.ts';
import { pollSteps } from './step-polls.ts';
import { startGoingOn } from '../take-in/go-on.ts';
import { startTakeIn } from '../take-in/start-take-in.ts';
import { watchWaitDeadlines } from './wait-deadlines.ts';
import type { LoopServices } from './services.ts';

/**
 * Starts all loops but `watchPeers`, and resumes allocations that the previous process left unfinished. Returns a function that
 * stops the loops.
 */
export function startLoops(services: LoopServices): StopLoop {
  const { conductor, zero_touch: zeroTouch } = services.config;
  resumeAllocations(services);
  const powerSync = new PowerSync(services, new Map());
  const stops = [
    watchWaitDeadlines(services),
    followAgentSteps(services),
    pollSteps(services),
    pollInspections(services),
    startInterfaceWork(services),
    startSensorRounds(services),
    keepSubscriptions(services),
    startTakeIn(services),
    watchIdleRamdisks(services),
    startGoingOn(services),
    startPeriodic(
      services,
      'scan for BMCs',
      zeroTouch.bmc_networks.length === 0 ? 0 : zeroTouch.scan_interval,
      () => services.foundBmcs.scanAll(),
    ),
    startPeriodic(services, 'power sync', conductor.sync_power_state_interval, () => powerSync.pass()),
    startPeriodic(services, 'power failure recovery', conductor.power_failure_recovery_interval, () =>
      recoverPowerFailures(services),
    ),
    startPeriodic(services, 'node history cleanup', conductor.node_history_cleanup_interval, async () => {
      if (conductor.node_history_max_entries > 0)
        services.db.history.trim(conductor.node_history_max_entries);
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await powerSync.allRead();
  };
}
