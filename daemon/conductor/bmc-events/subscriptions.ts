// Subscribes to the events of BMCs, checks at an interval that the subscriptions still exist, and ends a subscription when its
// node is deleted, handed over or gets another driver or management interface, or when [bmc_events] is switched off.
import { reasonOf } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import { inParallel, startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { NodeTask } from '../tasks/task.ts';
import type { TaskServices } from '../tasks/services.ts';

/** How long the end of a subscription waits for the BMC to answer. */
const END_MILLISECONDS = 10_000;

export function keepSubscriptions(services: TaskServices): StopLoop {
  const { interval } = services.config.bmc_events;
  return startPeriodic(services, 'subscriptions to events of BMCs', interval, () => round(services));
}

async function round(services: TaskServices): Promise<void> {
  const { config, db, log } = services;
  const isOn = config.bmc_events.enabled;
  const uuids = isOn ? db.nodes.outsideMaintenance() : db.nodes.withInfo('bmc_events_token_hash');
  await inParallel(uuids, config.conductor.periodic_max_workers, async (uuid) => {
    try {
      await withTaskIfFree(services, uuid, (task) => (isOn ? subscribe(task) : endSubscription(task)));
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ node: uuid, reason }, 'the BMC does not send its events; it is polled as before');
    }
  });
}

async function subscribe({ node, driver, view }: NodeTask): Promise<void> {
  // before verification it is unknown whether the BMC can be reached
  if (node.power_state === null) return;
  const management = availableInterface(driver, 'management');
  if (management?.subscribe === undefined) return;
  await management.validate(view);
  await management.subscribe(view);
}

/**
 * Ends the node's subscription, if any. A failure is only logged, and a BMC that does not answer is waited for at most
 * END_MILLISECONDS. The BMC may then go on sending events, which the daemon refuses.
 */
export async function endSubscription(task: NodeTask): Promise<void> {
  const { node, services, log } = task;
  if (node.driver_internal_info.bmc_events_token_hash === undefined) return;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = services.clock.after(END_MILLISECONDS, resolve);
  try {
    await Promise.race([availableInterface(task.driver, 'management')?.unsubscribe?.(task.view), late]);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, 'the subscription to the events of the BMC could not be deleted');
  } finally {
    cancel();
  }
  task.store(changeInfo(task.node, {}, ['bmc_events_token_hash']));
}
