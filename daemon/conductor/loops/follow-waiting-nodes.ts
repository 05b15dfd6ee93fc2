// Keeps one timer per waiting node, for work that is due on the node at a given time. The timer is set when the state
// of the node is stored.
import { during } from '../../lib/loop-watch/activity.ts';
import type { Node } from '../../model/records/node.ts';
import { statesOfClass } from '../../model/states/provision-states.ts';
import type { Services } from '../services.ts';
import type { StopLoop } from './periodic.ts';

export interface Due {
  readonly name: string;
  /** Returns the milliseconds until work is due on the node; undefined when none will be due in its state. */
  readonly delay: (node: Node) => number | undefined;
  /** Does the work. Returns the milliseconds until the next attempt; undefined when done, then `delay` decides. */
  readonly act: (node: Node) => Promise<number | undefined>;
  /** Milliseconds until the next attempt after `act` has thrown. */
  readonly retry: number;
}

/**
 * Follows nodes into and out of waiting states; starts with the nodes that are waiting already. Returns a function that stops
 * this.
 */
export function followWaitingNodes(services: Services, { name, delay, act, retry }: Due): StopLoop {
  const timers = new Map<string, () => void>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  const arm = (uuid: string, milliseconds: number | undefined) => {
    timers.get(uuid)?.();
    timers.delete(uuid);
    if (milliseconds === undefined || stopped) return;
    timers.set(
      uuid,
      services.clock.after(milliseconds, () => {
        const work: Promise<void> = during({ periodic: name }, () => expire(uuid)).finally(() =>
          running.delete(work),
        );
        running.add(work);
      }),
    );
  };
  const follow = (node: Node) => {
    try {
      arm(node.uuid, delay(node));
    } catch (error) {
      services.log.error({ node: node.uuid, error, watch: name }, 'cannot tell when work on the node is due');
    }
  };
  const expire = async (uuid: string) => {
    try {
      const node = services.db.nodes.get(uuid);
      if (node === undefined) return arm(uuid, undefined);
      const again = await act(node);
      if (again !== undefined) return arm(uuid, again);
      const after = services.db.nodes.get(uuid);
      if (after !== undefined) follow(after);
    } catch (error) {
      services.log.error(
        { node: uuid, error, watch: name },
        'work that was due on the node failed; it will be retried',
      );
      arm(uuid, retry);
    }
  };
  services.transitions.add(follow);
  for (const node of services.db.nodes.inStates(statesOfClass('wait'))) follow(node);
  return async () => {
    stopped = true;
    services.transitions.delete(follow);
    for (const cancel of timers.values()) cancel();
    await Promise.all(running);
  };
}
