// Limits how often something happens for each of many keys, such as the addresses of clients.
import type { Clock } from '../clock.ts';
import { RecentMap } from './recent-map.ts';

export interface Rate {
  readonly perSecond: number;
  /** How many may happen at once. */
  readonly burst: number;
}

interface Bucket {
  readonly tokens: number;
  /** When the bucket held this many tokens, as the clock's `monotonic` counts. */
  readonly at: number;
}

const REMEMBERED_BUCKETS = 10_000;

export class Rates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new RecentMap<string, Bucket>(REMEMBERED_BUCKETS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Counts one more for the key. Returns false, and does not count it, when that exceeds the rate. */
  take(key: string, { perSecond, burst }: Rate): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    if (tokens < 1) return false;
    this.#buckets.set(key, { tokens: tokens - 1, at: now });
    return true;
  }
}
