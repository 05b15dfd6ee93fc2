// Ends the operation of a node whose machine boots in circles: waiting for its ramdisk any longer is in vain.
import { reasonOf } from '../../model/faults.ts';
import { waitOf } from '../flows/waits.ts';
import type { Services } from '../services.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';

/** Does nothing in maintenance, where operators watch the machine themselves. `circles` is a sentence without its subject. */
export function endLoopingBoot(services: Services, node: string, circles: string): void {
  withTaskIfFree(services, node, async (task) => {
    if (task.node.maintenance) return;
    await waitOf(services, task.node)?.fail(task, `The machine ${circles}.`);
  }).catch((error: unknown) =>
    services.log.error({ node, reason: reasonOf(error) }, 'a boot in circles could not be ended'),
  );
}
