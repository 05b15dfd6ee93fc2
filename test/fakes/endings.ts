// What has to be stopped in the end, collected where no test is there that could do it.
import type { Ending } from './in-process-daemon.ts';

export interface Endings extends Ending {
  /** Stops what was started last first. */
  end(): Promise<void>;
}

export function collectEndings(): Endings {
  const stops: (() => Promise<void>)[] = [];
  return {
    after: (stop) => void stops.push(stop),
    async end() {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}
