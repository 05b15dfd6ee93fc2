// One timer for each node that something falls due for, set when its state is stored.
import { during } from '../../lib/activity.ts';
import type { Node } from '../../model/node.ts';
import { statesOfClass } from '../../model/provision-states.ts';
import type { Services } from '../services.ts';
import type { StopLoop } from './periodic.ts';

export interface Due {
  readonly name: string;
  /** Milliseconds until something falls due for the node; undefined: nothing will in its state. */
  readonly delay: (node: Node) => number | undefined;
  /** Does what is due. Milliseconds until it is to be tried again; undefined: it is done, `delay` tells what is next. */
  readonly act: (node: Node) => Promise<number | undefined>;
  /** Milliseconds after which what threw is tried again. */
  readonly retry: number;
}

/** Follows every node into and out of waiting states, beginning with those already there. The result stops it. */
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
      services.log.error({ node: node.uuid, error, watch: name }, 'the node cannot be watched');
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
      services.log.error({ node: uuid, error, watch: name }, 'what fell due could not be done');
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
