// Background work on a node after its caller got the answer: last_error and the history tell how it failed.
import { Fault, reasonOf } from '../../model/faults.ts';
import { clearedError } from '../hardware/change-power.ts';
import { startTask } from './run-task.ts';
import type { Caller, Services } from '../services.ts';
import type { NodeTask } from './task.ts';

export interface Attempt {
  /** For messages: `change boot mode to "uefi"`. */
  readonly action: string;
  readonly eventType: 'boot mode' | 'console' | 'secure boot' | 'vendor' | 'virtual media';
  readonly work: () => Promise<unknown>;
}

/** Resolves to false when the work failed, after recording the reason. */
export async function attempt(task: NodeTask, { action, eventType, work }: Attempt): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) task.log.error({ error, action }, 'failed unexpectedly');
    const event = `Failed to ${action}: ${reasonOf(error)}`;
    task.store({ last_error: task.recordError({ event, eventType }) });
    return false;
  }
}

/** Starts background work through the management interface unless `begin` throws; records failures like `attempt`. */
export function startManagement(
  services: Services,
  caller: Caller,
  uuid: string,
  begin: (task: NodeTask) => Attempt,
): Promise<void> {
  return startTask(services, caller, uuid, async (task) => {
    const accepted = begin(task);
    await task.driver.management.validate(task.view);
    task.store(clearedError(task.node));
    return async () => {
      await attempt(task, accepted);
    };
  });
}
