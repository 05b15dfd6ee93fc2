// Runs an action on a node in the background, after the request got its answer. If the action fails, last_error and the history
// say why.
import { Fault, reasonOf } from '../../model/faults.ts';
import { clearError } from './change-power.ts';
import type { HardwareServices, HardwareTask } from './services.ts';
import { startTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

export interface BackgroundAction {
  /** The action in messages: `change boot mode to "uefi"`. */
  readonly action: string;
  readonly eventType: 'boot mode' | 'console' | 'secure boot' | 'vendor' | 'virtual media';
  readonly work: () => Promise<unknown>;
}

/** Resolves to false when the work failed, after recording the reason. */
export async function carryOut(
  task: HardwareTask,
  { action, eventType, work }: BackgroundAction,
): Promise<boolean> {
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

/**
 * Starts an action through the management interface, and records failures like `carryOut`. Rejects when `begin` throws or the
 * interface finds the node invalid.
 */
export function startManagementAction(
  context: Call<HardwareServices>,
  uuid: string,
  begin: (task: HardwareTask) => BackgroundAction,
): Promise<void> {
  return startTask(context, uuid, async (task) => {
    const action = begin(task);
    await task.driver.management.validate(task.view);
    task.store(clearError(task.node));
    return async () => {
      await carryOut(task, action);
    };
  });
}
