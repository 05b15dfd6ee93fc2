// Ends the operation of a node whose machine is in a boot loop: its ramdisk will not report.
import { reasonOf } from '../../model/faults.ts';
import { waitOf } from '../flows/waits.ts';
import type { Services } from '../services.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';

/**
 * Does nothing if the node is locked or not in a wait state. Does nothing in maintenance either, because operators then watch the
 * machine themselves. `loop`: what the machine does, as a sentence without its subject and its full stop.
 */
export function endLoopingBoot(services: Services, node: string, loop: string): void {
  withTaskIfFree(services, node, async (task) => {
    if (task.node.maintenance) return;
    await waitOf(services, task.node)?.fail(task, `The machine ${loop}.`);
  }).catch((error: unknown) =>
    services.log.error(
      { node, reason: reasonOf(error) },
      'the operation of a node in a boot loop could not be ended',
    ),
  );
}
