// Work on a node whose caller has its answer already: how it failed is told in last_error and the history.
import { Fault, reasonOf } from '../model/faults.ts';
import type { NodeTask } from './task.ts';

export interface Attempt {
  /** For messages: `change boot mode to "uefi"`. */
  readonly action: string;
  readonly eventType: 'boot mode' | 'console' | 'secure boot' | 'vendor' | 'virtual media';
  readonly work: () => Promise<unknown>;
}

/** False when the work failed. */
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
