// Repeats work at a steady interval.
import { activities } from './loop-watch/activity.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** Stops a loop; resolves when the run in progress has ended. */
export type StopLoop = () => Promise<void>;

/** Calls `run` every `intervalSeconds`, never if that is 0. A call is skipped while `run` still runs. Failures are logged. */
export function startPeriodic(
  services: { readonly clock: Clock; readonly log: Logger },
  name: string,
  intervalSeconds: number,
  run: () => Promise<void>,
): StopLoop {
  if (intervalSeconds === 0) return () => Promise.resolve();
  const interval = intervalSeconds * 1000;
  let running = Promise.resolve();
  let stopped = false;
  const tick = () => {
    running = attempt();
  };
  const attempt = async () => {
    const begun = services.clock.monotonic();
    try {
      await activities.run({ periodic: name }, run);
    } catch (error) {
      services.log.error({ error, periodic: name }, 'periodic work failed');
    }
    const taken = services.clock.monotonic() - begun;
    if (!stopped) cancel = services.clock.after(interval - (taken % interval), tick);
  };
  let cancel = services.clock.after(interval, tick);
  return () => {
    stopped = true;
    cancel();
    return running;
  };
}

/** Runs `work` on every item, at most `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
