// Gathers the messages that arrive in one turn of the event loop: one transaction handles them all, and the replies leave
// when it is on disk. A thousand machines that ask at once then cost some dozens of writes.
import type { Logger } from '../../lib/logger.ts';

/** Leases that are stored together. */
interface Committed {
  commit(work: () => void): void;
}

export class Turn {
  readonly #leases: Committed;
  readonly #log: Logger;
  #work: (() => void)[] = [];
  #replies: (() => void)[] = [];
  #isScheduled = false;

  constructor(leases: Committed, log: Logger) {
    this.#leases = leases;
    this.#log = log;
  }

  /** Runs `work`, which reads and changes leases, at the end of this turn. */
  add(work: () => void): void {
    this.#work.push(work);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#end());
  }

  /** Called by the work of a turn. Runs `reply` when all leases of the turn are on disk; never when they cannot be stored. */
  whenStored(reply: () => void): void {
    this.#replies.push(reply);
  }

  #end(): void {
    const work = this.#work;
    this.#work = [];
    this.#isScheduled = false;
    try {
      this.#leases.commit(() => this.#runAll(work));
      this.#runAll(this.#replies);
    } catch (error) {
      this.#log.error(
        { error, messages: work.length },
        'DHCP: leases cannot be stored; the machines that asked get no answer and ask again',
      );
    }
    this.#replies = [];
  }

  /** Runs every function, also after one of them has failed. */
  #runAll(actions: readonly (() => void)[]): void {
    for (const action of actions) {
      try {
        action();
      } catch (error) {
        this.#log.error({ error }, 'DHCP: a message could not be answered');
      }
    }
  }
}
