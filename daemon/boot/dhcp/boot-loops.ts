// Notices machines that ask for the same boot file again and again, because they cannot load or start it.
import type { Clock } from '../../lib/clock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { Client } from './client.ts';

const WINDOW_MILLISECONDS = 600_000;
const TIMES = 5;
const MOST_MACHINES = 10_000;

interface Count {
  readonly since: number;
  readonly times: number;
}

export class BootLoops {
  readonly #clock: Clock;
  readonly #counts = new RecentMap<string, Count>(MOST_MACHINES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a reply with a boot file; returns a sentence at the fifth equal reply within ten minutes. */
  given({ mac, stage }: Client, file: string): string | undefined {
    const now = this.#clock.monotonic();
    const key = `${mac} ${stage}`;
    const before = this.#counts.get(key);
    const isFresh = before !== undefined && now < before.since + WINDOW_MILLISECONDS;
    const count = { since: isFresh ? before.since : now, times: isFresh ? before.times + 1 : 1 };
    this.#counts.set(key, count);
    if (count.times !== TIMES) return undefined;
    const minutes = Math.max(1, Math.ceil((now - count.since) / 60_000));
    return `was told to boot ${file} as ${stage} ${TIMES} times in ${minutes} min: it is in a boot loop, or cannot load or start that file`;
  }
}
