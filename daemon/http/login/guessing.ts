// Limits how many wrong passwords one address may try for a user, so that nobody guesses a right one. A client that sends a wrong
// password again and again keeps no other user of its address from logging in: behind a proxy or a Unix socket, all may share one.
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { canonicalIp, networkOfHost } from '../../lib/network/ip.ts';
import { RecentMap } from '../../lib/limits/recent-map.ts';
import { fault } from '../../model/faults.ts';

const MOST_FAILURES = 10;
const PERIOD_MILLISECONDS = 60_000;
const REMEMBERED = 10_000;
// Users are counted in groups, so that nobody makes the daemon forget failures by inventing names. Unknown names are counted too:
// an attacker must not learn which users exist.
const GROUPS = 64;

interface Failures {
  readonly count: number;
  /** The time of the first failure, as the clock's `monotonic` counts. */
  readonly since: number;
}

export class Guessing {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #failures = new RecentMap<string, Failures>(REMEMBERED * GROUPS);
  readonly #groupKey = randomBytes(16);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Counts an attempt as wrong. Call the returned function if the attempt was right or could not be checked: it takes the count
   * back. Attempts are counted in advance because many may be under way at the same time. Throws TooManyWrongPasswords when the
   * address has used up its attempts for this user; the addresses of one IPv6 network of 64 bits count as one address.
   */
  attempt(address: string, user: string): () => void {
    const canonical = canonicalIp(address);
    const key = `${this.#groupOf(user)} ${canonical === undefined ? address : networkOfHost(canonical)}`;
    const { count, since } = this.#recent(key);
    if (count >= MOST_FAILURES) throw fault('TooManyWrongPasswords', { count: MOST_FAILURES });
    this.#failures.set(key, { count: count + 1, since });
    return () => {
      const now = this.#recent(key);
      this.#failures.set(key, { ...now, count: Math.max(0, now.count - 1) });
    };
  }

  #groupOf(user: string): number {
    return createHmac('sha256', this.#groupKey).update(user).digest().readUInt32BE() % GROUPS;
  }

  #recent(key: string): Failures {
    const now = this.#clock.monotonic();
    const known = this.#failures.get(key);
    return known !== undefined && now < known.since + PERIOD_MILLISECONDS ? known : { count: 0, since: now };
  }
}
