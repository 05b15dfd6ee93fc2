// Notices machines that ask for the same boot file again and again, because they cannot load or start it.
import type { Clock } from '../../lib/clock.ts';
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
  readonly #counts = new Map<string, Count>();

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
    this.#counts.delete(key);
    this.#counts.set(key, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MOST_MACHINES && oldest !== undefined) this.#counts.delete(oldest);
    if (count.times !== TIMES) return undefined;
    const minutes = Math.max(1, Math.ceil((now - count.since) / 60_000));
    return `was told to boot ${file} as ${stage} ${TIMES} times in ${minutes} min: it is in a boot loop, or cannot load or start that file`;
  }
}
