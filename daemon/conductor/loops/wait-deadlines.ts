// Nodes that wait for a ramdisk do so only so long: one timer a waiting node, set when its state is stored.
import type { Node } from '../../model/node.ts';
import { permits, statesThat } from '../../model/provision-states.ts';
import { failInspection } from '../phases/inspect.ts';
import { withTaskIfFree } from '../run-task.ts';
import type { Services } from '../services.ts';
import type { StopLoop } from './periodic.ts';

/** Follows every node into and out of `inspect wait`, beginning with those already there. The result stops it. */
export function watchWaitDeadlines(services: Services): StopLoop {
  const { inspect_wait_timeout: limitSeconds, check_provision_state_interval: retrySeconds } =
    services.config.conductor;
  if (limitSeconds === 0 || retrySeconds === 0) return () => Promise.resolve();
  const timers = new Map<string, () => void>();
  const arm = (uuid: string, milliseconds: number) => {
    timers.set(
      uuid,
      services.clock.after(milliseconds, () => void expire(uuid)),
    );
  };
  const follow = (node: Node) => {
    timers.get(node.uuid)?.();
    timers.delete(node.uuid);
    if (awaitsInspection(node)) arm(node.uuid, remaining(services, node, limitSeconds));
  };
  const expire = async (uuid: string) => {
    timers.delete(uuid);
    const ended = await endOverdueWait(services, uuid, limitSeconds).catch((error: unknown) => {
      services.log.error({ node: uuid, error }, 'the timeout could not be handled');
      return false;
    });
    if (!ended) arm(uuid, retrySeconds * 1000);
  };
  services.transitions.add(follow);
  for (const node of services.db.nodes.inStates(statesThat('inspectionReport'))) follow(node);
  return () => {
    services.transitions.delete(follow);
    for (const cancel of timers.values()) cancel();
    return Promise.resolve();
  };
}

const awaitsInspection = (node: Node | undefined): boolean =>
  node !== undefined && permits(node.provision_state, 'inspectionReport') === true;

function remaining(services: Services, node: Node, limitSeconds: number): number {
  const started = Date.parse(node.inspection_started_at ?? node.provision_updated_at ?? '');
  return Math.max(0, started + limitSeconds * 1000 - services.clock.now());
}

// True when the node waits no longer; false: it is locked or in maintenance, look again later
async function endOverdueWait(services: Services, uuid: string, limitSeconds: number): Promise<boolean> {
  const node = services.db.nodes.get(uuid);
  if (!awaitsInspection(node)) return true;
  if (node?.maintenance === true) return false;
  await withTaskIfFree(services, uuid, async (task) => {
    if (!awaitsInspection(task.node) || task.node.maintenance) return;
    await failInspection(task, timeoutReason(task.node, limitSeconds));
  });
  return !awaitsInspection(services.db.nodes.get(uuid));
}

/** Names the last hop that was seen, so that the operator knows where to look. */
export function timeoutReason(node: Node, limitSeconds: number): string {
  const lookup = node.driver_internal_info['agent_last_lookup'];
  const seen =
    typeof lookup === 'string'
      ? `its ramdisk looked the node up at ${lookup}, so it booted but did not post inspection data: see the ramdisk's journal`
      : `the machine was set to "${node.power_state}" at ${node.inspection_started_at}; nothing was heard from a ramdisk since: check DHCP, network boot and that the ramdisk's ipa-inspection-callback-url reaches this service`;
  return `Timed out after ${limitSeconds} s of waiting for inspection data ([conductor] inspect_wait_timeout). Last seen: ${seen}.`;
}
