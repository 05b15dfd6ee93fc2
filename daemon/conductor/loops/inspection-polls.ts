// Polls inspections that an external service runs, at growing intervals. When the ramdisk's report arrives, the intervals are
// short again.
import { reasonOf } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import { InspectionError, type InspectInterface } from '../../plugin-api/index.ts';
import { secondsOf } from '../../plugin-api/contract/intervals.ts';
import { failInspection, finishInspection } from '../flows/phases/inspect.ts';
import { changesByService } from '../inspection/compute-changes.ts';
import { NodeTask } from '../tasks/task.ts';
import { followWaitingNodes } from './follow-waiting-nodes.ts';
import type { StopLoop } from '../../lib/periodic.ts';
import { LOCKED_RETRY, whenFree } from './when-free.ts';
import type { LoopServices, LoopTask } from './services.ts';

const SHORTEST_DELAY = 1000;

export function pollInspections(services: LoopServices): StopLoop {
  /** Why the last poll of a node's inspection failed, by node UUID. */
  const silences = new Map<string, string>();
  return followWaitingNodes(services, {
    name: 'inspection polls',
    retry: LOCKED_RETRY,
    delay(node) {
      const poll = pollOf(new NodeTask({ services, caller: null }, node));
      if (poll === undefined) {
        silences.delete(node.uuid);
        return undefined;
      }
      const waited = services.clock.age(waitingSince(node));
      return Math.max(SHORTEST_DELAY, Math.min(waited, secondsOf(poll.interval, services.sections) * 1000));
    },
    act: (node) =>
      whenFree(services, node, async (task) => {
        const silence = await pollOnce(task);
        if (silence === undefined) silences.delete(node.uuid);
        else if (silences.get(node.uuid) !== silence) {
          silences.set(node.uuid, silence);
          task.log.warn({ reason: silence }, 'could not poll the inspection service; will retry');
          const event = `Could not poll the inspection service; will retry: ${silence}`;
          task.recordError({ event, eventType: 'inspection' });
        }
      }),
  });
}

/** Undefined when the node does not wait for an inspection that needs polling. */
function pollOf(task: LoopTask): InspectInterface['poll'] {
  return permissionIn(task.node.provision_state, 'inspectionReport') === true
    ? task.driver.inspect.poll
    : undefined;
}

const waitingSince = (node: Node): number =>
  Date.parse(node.inspection_started_at ?? node.provision_updated_at ?? '');

/** Returns why the poll failed; undefined when the service answered. */
async function pollOnce(task: LoopTask): Promise<string | undefined> {
  try {
    const progress = (await pollOf(task)?.check(task.view)) ?? 'waiting';
    if (progress !== 'waiting') await finishInspection(task, changesByService(task, progress.report));
    return undefined;
  } catch (error) {
    task.signal.throwIfAborted();
    if (!(error instanceof InspectionError)) return reasonOf(error);
    await failInspection(task, error.message);
    return undefined;
  }
}
