// Powers machines off whose ramdisk is kept for the next work (fast track) and that have had no work for a while.
import { inParallel, startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import { reasonOf } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { isStable, permissionIn } from '../../model/states/provision-states.ts';
import { canPowerOff, changePower } from '../hardware/change-power.ts';
import { whyUnusable } from '../ramdisk/kept-ramdisk.ts';
import { isFastTrack } from '../tasks/agent-state.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { LoopServices, LoopTask } from './services.ts';

const LONGEST_INTERVAL_SECONDS = 60;

export function watchIdleRamdisks(services: LoopServices): StopLoop {
  const { idle_ramdisk_timeout: timeout } = services.config.deploy;
  const interval = Math.min(timeout, LONGEST_INTERVAL_SECONDS);
  return startPeriodic(services, 'idle ramdisks', interval, () => round(services));
}

async function round(services: LoopServices): Promise<void> {
  const { db, config, log } = services;
  const kept = db.nodes.withInfo('agent_url');
  await inParallel(kept, config.conductor.periodic_max_workers, async (uuid) => {
    try {
      const node = db.nodes.get(uuid);
      if (node !== undefined && isIdle(services, node)) await withTaskIfFree(services, uuid, powerOffIdle);
    } catch (error) {
      log.warn({ node: uuid, reason: reasonOf(error) }, 'the idle machine could not be powered off');
    }
  });
}

/** Whether the node has a kept ramdisk and has had no work for long enough. In maintenance, somebody may look at the machine. */
function isIdle(services: LoopServices, node: Node): boolean {
  const { provision_state: state, provision_updated_at: changed, driver_internal_info: info } = node;
  const maySleep = isStable(state) && permissionIn(state, 'lookup') === 'fast-track' && !node.maintenance;
  const limit = services.config.deploy.idle_ramdisk_timeout * 1000;
  const isLongAgo = (time: string | null) => time === null || services.clock.age(Date.parse(time)) >= limit;
  return (
    maySleep &&
    isFastTrack(services, node) &&
    [changed, info.agent_last_lookup ?? null].every((time) => isLongAgo(time))
  );
}

async function powerOffIdle(task: LoopTask): Promise<void> {
  if (!isIdle(task.services, task.node) || !canPowerOff(task)) return;
  const reason = await whyUnusable(task);
  // somebody may have booted another system, and use it
  if (reason !== undefined)
    return task.log.info({ reason }, 'the idle machine stays on: it does not answer as its ramdisk would');
  await changePower(task, 'power off');
  const { idle_ramdisk_timeout: seconds } = task.services.config.deploy;
  task.recordInfo({
    event: `The ramdisk had no work for ${seconds} s ([deploy] idle_ramdisk_timeout): the machine is powered off.`,
    eventType: 'monitoring',
  });
  await task.driver.boot.cleanUpRamdisk?.(task.view);
}
