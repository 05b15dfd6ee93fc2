// Repeated work: the next run is timed from the end of the last one.
import type { Services } from '../services.ts';

/** Starts `run` every `intervalSeconds`; 0 or less: never. The result stops it. A failing run is logged. */
export function startPeriodic(
  services: Services,
  name: string,
  intervalSeconds: number,
  run: () => Promise<void>,
): () => void {
  if (intervalSeconds <= 0) return () => undefined;
  let cancel = services.clock.after(intervalSeconds * 1000, tick);
  let stopped = false;
  function tick(): void {
    void attempt().finally(() => {
      if (!stopped) cancel = services.clock.after(intervalSeconds * 1000, tick);
    });
  }
  async function attempt(): Promise<void> {
    try {
      await run();
    } catch (error) {
      services.log.error({ error, periodic: name }, 'periodic work failed');
    }
  }
  return () => {
    stopped = true;
    cancel();
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
