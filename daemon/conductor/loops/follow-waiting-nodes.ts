// Keeps one timer per waiting node, for work that is due on the node at a given time. The timer is set again at each
// change of the node's provision state.
import { activities } from '../../lib/loop-watch/activity.ts';
import type { Node } from '../../model/records/node.ts';
import { statesOfClass } from '../../model/states/provision-states.ts';
import type { StopLoop } from '../../lib/periodic.ts';
import type { LoopServices } from './services.ts';

/** The time until `delay` is called again after it has thrown for a node. */
const FOLLOW_AGAIN_MILLISECONDS = 600_000;

export interface Due {
  readonly name: string;
  /** Returns the milliseconds until work is due on the node; undefined when no work will be due in its present state. */
  readonly delay: (node: Node) => number | undefined;
  /** Does the work. Returns the milliseconds until the next attempt, or undefined if the work is done: `delay` then decides. */
  readonly act: (node: Node) => Promise<number | undefined>;
  /** Milliseconds until the next attempt after `act` has thrown. */
  readonly retry: number;
}

/**
 * Sets a node's timer when the node enters a waiting state, and cancels it when the node leaves the state; starts with the nodes
 * that are waiting already. Returns a function that cancels all timers and resolves when running work has ended.
 */
export function followWaitingNodes(services: LoopServices, { name, delay, act, retry }: Due): StopLoop {
  const timers = new Map<string, () => void>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  const arm = (uuid: string, milliseconds: number | undefined, then = expire) => {
    timers.get(uuid)?.();
    timers.delete(uuid);
    if (milliseconds === undefined || stopped) return;
    timers.set(
      uuid,
      services.clock.after(milliseconds, () => {
        const work: Promise<void> = activities
          .run({ periodic: name }, () => then(uuid))
          .finally(() => running.delete(work));
        running.add(work);
      }),
    );
  };
  const follow = (node: Node) => {
    try {
      arm(node.uuid, delay(node));
    } catch (error) {
      services.log.error({ node: node.uuid, error, watch: name }, 'cannot tell when work on the node is due');
      arm(node.uuid, FOLLOW_AGAIN_MILLISECONDS, followAgain);
    }
  };
  /** Calls `delay` again, which may succeed now: the node may have been released from quarantine, or its plugin reloaded. */
  const followAgain = async (uuid: string) => {
    const node = services.db.nodes.get(uuid);
    if (node !== undefined) follow(node);
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
  services.transitions.waiting.add(follow);
  for (const node of services.db.nodes.inStates(statesOfClass('wait'))) follow(node);
  return async () => {
    stopped = true;
    services.transitions.waiting.delete(follow);
    for (const cancel of timers.values()) cancel();
    await Promise.all(running);
  };
}
