// Fails the operations of nodes that have waited too long for their ramdisk or BMC.
import type { Node } from '../../model/records/node.ts';
import { waitOf } from '../flows/waits.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import { followWaitingNodes } from './follow-waiting-nodes.ts';
import type { StopLoop } from '../../lib/periodic.ts';
import { LOCKED_RETRY } from './when-free.ts';
import type { LoopServices } from './services.ts';

export function watchWaitDeadlines(services: LoopServices): StopLoop {
  const retry = services.config.conductor.check_provision_state_interval * 1000;
  if (retry === 0) return () => Promise.resolve();
  const delay = (node: Node) => {
    const wait = waitOf(services, node);
    if (wait === undefined || wait.limitSeconds === 0) return undefined;
    return Math.max(0, wait.limitSeconds * 1000 - wait.waited);
  };
  return followWaitingNodes(services, {
    name: 'wait deadlines',
    retry,
    delay,
    async act(node) {
      if (node.maintenance) return retry;
      // a sign of life arrived in the meantime
      if ((delay(node) ?? 0) > 0) return undefined;
      const judged = await withTaskIfFree(services, node.uuid, async (task) => {
        const { maintenance } = task.node;
        const wait = maintenance || delay(task.node) !== 0 ? undefined : waitOf(services, task.node);
        await wait?.fail(task, wait.timedOut);
        return { maintenance };
      });
      if (judged === undefined) return LOCKED_RETRY;
      return judged.maintenance ? retry : undefined;
    },
  });
}
