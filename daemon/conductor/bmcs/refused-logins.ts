// After a BMC has refused a login, holds back further attempts for some time, so that they do not lock the account.
import { type Clock, timestamp } from '../../lib/clock.ts';
import { type Fault, fault } from '../../model/faults.ts';

const firstPauseMilliseconds = 300_000;
const longestPauseMilliseconds = 3_600_000;
/** The shorter pause for logins that an operator requests: the operator may have corrected the account on the BMC. */
const urgentPauseMilliseconds = 30_000;

interface Refusal {
  /** How often the login was refused in a row. */
  readonly times: number;
  /** Milliseconds, as the clock's `monotonic` counts. */
  readonly at: number;
  readonly reason: string;
}

export interface BmcLogin {
  /** Identifies the BMC and the credentials. */
  readonly key: string;
  readonly address: string;
  /** UUID of the node, for messages. */
  readonly node: string;
  /** Requested by an operator. */
  readonly urgent: boolean;
}

export class RefusedLogins {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, Refusal>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns BmcCredentialsRefused while the login is held back. */
  withheld({ key, address, node, urgent }: BmcLogin): Fault | undefined {
    const refusal = this.#refusals.get(key);
    if (refusal === undefined) return undefined;
    const left = refusal.at + pauseAfter(refusal, urgent) - this.#clock.monotonic();
    if (left <= 0) return undefined;
    return fault('BmcCredentialsRefused', {
      operation: 'Communication',
      node,
      address,
      reason: `${refusal.reason}; to keep the account from being locked, the login is not tried again before ${timestamp(this.#clock.now() + left)} unless driver_info changes`,
    });
  }

  refused(key: string, refusal: Fault): void {
    const now = this.#clock.monotonic();
    for (const [other, { at }] of this.#refusals)
      if (at + 2 * longestPauseMilliseconds < now) this.#refusals.delete(other);
    const times = (this.#refusals.get(key)?.times ?? 0) + 1;
    this.#refusals.set(key, { times, at: now, reason: String(refusal.parameters['reason']) });
  }

  accepted(key: string): void {
    this.#refusals.delete(key);
  }
}

const pauseAfter = ({ times }: Refusal, urgent: boolean): number =>
  urgent
    ? urgentPauseMilliseconds
    : Math.min(firstPauseMilliseconds * 2 ** (times - 1), longestPauseMilliseconds);
