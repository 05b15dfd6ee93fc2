// Limits how often one network (an IPv4 address, or 64 bits of IPv6) sends requests to the routes that have a `rate`.
import type { Clock } from '../../lib/clock.ts';
import { canonicalIp, isLoopback, networkOfHost } from '../../lib/network/ip.ts';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import { fault } from '../../model/faults.ts';
import type { Rate, Route } from '../route.ts';

interface Bucket {
  readonly tokens: number;
  /** When the bucket held this many tokens, as the clock's `monotonic` counts. */
  readonly at: number;
}

const REMEMBERED_BUCKETS = 10_000;

export class RequestRates {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #buckets = new RecentMap<string, Bucket>(REMEMBERED_BUCKETS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Counts a request. Throws TooManyRequests when the client's network has sent more than the route's rate allows. Clients on this
   * host are not limited: their `address` is a loopback address, or null for a Unix socket.
   */
  count({ path, rate }: Pick<Route, 'path' | 'rate'>, address: string | null): void {
    if (rate === undefined || address === null) return;
    const canonical = canonicalIp(address);
    if (canonical !== undefined && isLoopback(canonical)) return;
    const key = `${path} ${canonical === undefined ? address : networkOfHost(canonical)}`;
    const tokens = this.#tokens(key, rate);
    if (tokens < 1)
      throw fault('TooManyRequests', { address, path, burst: rate.burst, rate: rate.perSecond });
    this.#buckets.set(key, { tokens: tokens - 1, at: this.#clock.monotonic() });
  }

  #tokens(key: string, { perSecond, burst }: Rate): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return burst;
    const seconds = (this.#clock.monotonic() - bucket.at) / 1000;
    return Math.min(burst, bucket.tokens + seconds * perSecond);
  }
}
