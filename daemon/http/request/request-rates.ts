// Limits how often one network (an IPv4 address, or 64 bits of IPv6) sends requests to the routes that have a `rate`.
import type { Clock } from '../../lib/clock.ts';
import { canonicalIp, isLoopback, networkOfHost } from '../../lib/network/ip.ts';
import { type Rate, Rates } from '../../lib/limits/rates.ts';
import { fault } from '../../model/faults.ts';

export class RequestRates {
  readonly #rates: Rates;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#rates = new Rates(clock);
  }

  /**
   * Counts a request. Throws TooManyRequests when the client's network has sent more than the route's rate allows. Clients on this
   * host are not limited: their `address` is a loopback address, or null for a Unix socket.
   */
  count(path: string, rate: Rate, address: string | null): void {
    if (address === null) return;
    const canonical = canonicalIp(address);
    if (canonical !== undefined && isLoopback(canonical)) return;
    const key = `${path} ${canonical === undefined ? address : networkOfHost(canonical)}`;
    if (!this.#rates.take(key, rate))
      throw fault('TooManyRequests', { address, path, burst: rate.burst, rate: rate.perSecond });
  }
}
