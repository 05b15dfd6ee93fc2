// Collects clean-up actions outside of a test.
import type { Ending } from './daemon/in-process-daemon.ts';

export interface Endings extends Ending {
  /** Runs the actions in reverse order. */
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
