// One queue per BMC: one operation at a time, or as many as the BMC accepts; a minimum gap between two operations; a deadline
// for each operation; and a circuit breaker that keeps background work away from a BMC that does not answer.
import { type Clock, timestamp } from '../../lib/clock.ts';
import { failureReason, HttpFailure } from '../../lib/http-client/http-failure.ts';
import type { Logger } from '../../lib/logger.ts';
import { Fault, fault } from '../../model/faults.ts';
import type { BmcOptions } from '../../plugin-api/index.ts';

const failuresUntilDead = 3;
const firstPauseMilliseconds = 30_000;
const longestPauseMilliseconds = 300_000;
/**
 * How long the failures of a BMC are remembered after its last operation: longer than the default interval of any periodic work
 * on BMCs.
 */
const memoryOfFailuresMilliseconds = 3_600_000;
/** How long `gapAfterSilence` applies to a BMC after an operation that it did not answer. */
const cautionMilliseconds = 600_000;

export interface BmcRunOptions extends Pick<
  BmcOptions,
  'minimumGap' | 'gapAfterSilence' | 'parallel' | 'deadline'
> {
  /** UUID of the node, for messages. */
  readonly node: string;
  /** Requested by an operator: runs even while the circuit breaker keeps background work away. */
  readonly urgent: boolean;
  /** When it aborts, a waiting operation leaves the queue, and a running one is aborted. */
  readonly signal: AbortSignal;
}

export interface BmcQueues {
  /**
   * Runs `operation` when its turn at `address` comes, in order of arrival. The deadline counts from the start of the operation.
   * The operation must end soon after its signal aborts, because the next one waits for it. The circuit breaker counts a
   * BmcFailure as no answer. It counts a result, BmcRefused, BmcNotReady, BmcCredentialsRefused, BmcPasswordChangeRequired
   * and BmcPasswordRefused as an answer, and ignores other errors. When the BMC could not be connected or left an HTTP request unanswered for its whole time limit, and no other
   * operation had an answer meanwhile, the operations that wait fail too, instead of each waiting for as long.
   */
  run<T>(address: string, options: BmcRunOptions, operation: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The number of BMCs kept in memory. Those without work or recent failures are removed when a new BMC is added. */
  readonly size: number;
  /** The number of BMCs that background work leaves alone because they do not answer. */
  readonly silent: number;
}

/** How an operation on a BMC ended. */
export interface EndedConversation {
  /**
   * `answered`: with a result. `refused`: with a refusal of the BMC, such as BmcRefused. `silent`: with BmcFailure.
   * `other`: with another error, or aborted.
   */
  readonly outcome: 'answered' | 'refused' | 'silent' | 'other';
  readonly milliseconds: number;
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ended: (conversation: EndedConversation) => void;
}

export function createBmcQueues(surroundings: Surroundings): BmcQueues {
  const queues = new Map<string, BmcQueue>();
  const queueOf = (address: string) => {
    const known = queues.get(address);
    if (known !== undefined) return known;
    for (const [other, queue] of queues) if (queue.isForgettable()) queues.delete(other);
    const queue = new BmcQueue(address, surroundings);
    queues.set(address, queue);
    return queue;
  };
  return {
    run: (address, options, operation) => queueOf(address).run(options, operation),
    get size() {
      return queues.size;
    },
    get silent() {
      return [...queues.values()].filter((queue) => queue.isSilent()).length;
    },
  };
}

interface Breaker {
  readonly failures: number;
  /** Milliseconds since the epoch, for messages. */
  readonly silentSince: number;
  /** Milliseconds, as the clock's `monotonic` counts. */
  readonly retryAt: number;
}

const closed: Breaker = { failures: 0, silentSince: 0, retryAt: 0 };

function afterFailure(breaker: Breaker, begun: number, now: number): Breaker {
  const failures = breaker.failures + 1;
  const doublings = failures - failuresUntilDead;
  const pause = Math.min(firstPauseMilliseconds * 2 ** doublings, longestPauseMilliseconds);
  return {
    failures,
    silentSince: breaker.failures === 0 ? begun : breaker.silentSince,
    retryAt: doublings < 0 ? now : now + pause,
  };
}

interface Waiter {
  readonly options: BmcRunOptions;
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

class BmcQueue {
  readonly #address: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ended: Surroundings['ended'];
  #breaker = closed;
  #waiters: readonly Waiter[] = [];
  #running = 0;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #gap = 0;
  #lastSilence = Number.NEGATIVE_INFINITY;
  #lastAnswer = Number.NEGATIVE_INFINITY;
  #cancelStart = () => {};

  constructor(address: string, { clock, log, ended }: Surroundings) {
    this.#address = address;
    this.#clock = clock;
    this.#log = log;
    this.#ended = ended;
  }

  isSilent(): boolean {
    return this.#breaker.failures >= failuresUntilDead;
  }

  isForgettable(): boolean {
    if (this.#isFragile()) return false;
    const memory = this.#breaker.failures === 0 ? this.#gap : memoryOfFailuresMilliseconds;
    return (
      this.#running === 0 && this.#waiters.length === 0 && this.#clock.monotonic() >= this.#lastEnd + memory
    );
  }

  async run<T>(options: BmcRunOptions, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    options.signal.throwIfAborted();
    if (!options.urgent && this.#clock.monotonic() < this.#breaker.retryAt) throw this.#dead(options);
    await this.#turn(options);
    try {
      return await this.#converse(options, operation);
    } finally {
      this.#running -= 1;
      this.#lastEnd = this.#clock.monotonic();
      this.#gap = this.#gapAfter(options);
      this.#scheduleStart();
    }
  }

  #gapAfter({ minimumGap = 0, gapAfterSilence = 0 }: BmcRunOptions): number {
    return this.#isFragile() ? Math.max(minimumGap, gapAfterSilence) : minimumGap;
  }

  #isFragile(): boolean {
    return this.#clock.monotonic() < this.#lastSilence + cautionMilliseconds;
  }

  #turn(options: BmcRunOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiter.refuse(options.signal.reason);
        this.#scheduleStart();
      };
      const leave = () => {
        options.signal.removeEventListener('abort', onAbort);
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
      };
      const waiter: Waiter = {
        options,
        start: () => {
          leave();
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      options.signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters = [...this.#waiters, waiter];
      this.#scheduleStart();
    });
  }

  /**
   * Starts the waiters that may start now, in order. If the first remaining waiter only has to wait for the gap, sets a timer for
   * it; there is one timer at most. Call after each change of the waiters, `#running` or `#gap`.
   */
  #scheduleStart(): void {
    this.#cancelStart();
    const [first] = this.#waiters;
    if (first === undefined || this.#running >= (first.options.parallel ?? 1)) return;
    const start = () => {
      this.#running += 1;
      first.start();
      this.#scheduleStart();
    };
    const wait = this.#lastEnd + this.#gap - this.#clock.monotonic();
    if (wait > 0) this.#cancelStart = this.#clock.after(wait, start);
    else start();
  }

  async #converse<T>(options: BmcRunOptions, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const begun = this.#clock.now();
    const started = this.#clock.monotonic();
    let outcome: EndedConversation['outcome'] = 'answered';
    const overdue = new AbortController();
    const cancelDeadline = this.#clock.after(options.deadline, () =>
      overdue.abort(this.#failure(options, `no answer within ${options.deadline / 1000} s`)),
    );
    try {
      const result = await operation(AbortSignal.any([options.signal, overdue.signal]));
      overdue.signal.throwIfAborted();
      this.#answered();
      return result;
    } catch (error) {
      outcome = 'other';
      options.signal.throwIfAborted();
      const failure: unknown = overdue.signal.aborted && !isBmcFailure(error) ? overdue.signal.reason : error;
      outcome = outcomeOf(failure);
      if (outcome === 'silent') {
        this.#silent(begun);
        if (this.#lastAnswer <= started) this.#refuseWaiting(failure);
      } else if (outcome === 'refused') this.#answered();
      throw failure;
    } finally {
      cancelDeadline();
      this.#ended({ outcome, milliseconds: this.#clock.monotonic() - started });
    }
  }

  #answered(): void {
    this.#lastAnswer = this.#clock.monotonic();
    if (this.#breaker.failures >= failuresUntilDead) {
      this.#log.info({ bmc: this.#address }, 'The BMC answers again.');
    }
    this.#breaker = closed;
  }

  #silent(begun: number): void {
    this.#lastSilence = this.#clock.monotonic();
    this.#breaker = afterFailure(this.#breaker, begun, this.#lastSilence);
    const { failures, silentSince } = this.#breaker;
    if (failures < failuresUntilDead) return;
    if (failures === failuresUntilDead) {
      this.#log.warn(
        { bmc: this.#address, since: timestamp(silentSince) },
        'The BMC does not answer; background work on it is paused.',
      );
    }
    for (const { options, refuse } of this.#waiters) if (!options.urgent) refuse(this.#dead(options));
  }

  /** Refuses all that wait if the failure shows that the BMC answers nobody. */
  #refuseWaiting(failure: unknown): void {
    const cause = failure instanceof Fault ? failure.cause : undefined;
    if (!(cause instanceof HttpFailure && DEAD.has(cause.kind))) return;
    const reason = `another conversation with it has just failed, so it was not asked again: ${failureReason(cause)}`;
    for (const { options, refuse } of this.#waiters) refuse(this.#failure(options, reason));
  }

  #dead(options: BmcRunOptions): Fault {
    const { silentSince } = this.#breaker;
    const retryAt = this.#clock.now() + this.#breaker.retryAt - this.#clock.monotonic();
    return this.#failure(
      options,
      `it has not answered since ${timestamp(silentSince)} and will be tried again at ${timestamp(retryAt)}`,
    );
  }

  #failure({ node }: BmcRunOptions, reason: string): Fault {
    return fault('BmcFailure', { operation: 'Communication', node, address: this.#address, reason });
  }
}

const DEAD: ReadonlySet<HttpFailure['kind']> = new Set(['unreachable', 'overdue']);

const isBmcFailure = (error: unknown): error is Fault =>
  error instanceof Fault && error.code === 'BmcFailure';

const answers: ReadonlySet<string> = new Set([
  'BmcRefused',
  'BmcNotReady',
  'BmcCredentialsRefused',
  'BmcPasswordChangeRequired',
  'BmcPasswordRefused',
]);
const isAnswer = (error: unknown) => error instanceof Fault && answers.has(error.code);

function outcomeOf(failure: unknown): EndedConversation['outcome'] {
  if (isBmcFailure(failure)) return 'silent';
  return isAnswer(failure) ? 'refused' : 'other';
}
