// Replies wait here until the leases that they promise are on disk: one transaction for each turn of the event loop.
import type { Logger } from '../../lib/logger.ts';
import type { Leases } from './addresses/leases.ts';

export class Outbox {
  readonly #leases: Pick<Leases, 'commit'>;
  readonly #log: Logger;
  #waiting: (() => void)[] = [];
  #isScheduled = false;

  constructor(leases: Pick<Leases, 'commit'>, log: Logger) {
    this.#leases = leases;
    this.#log = log;
  }

  /** Runs `action` when all changes of leases so far are on disk; never when they cannot be stored. */
  whenStored(action: () => void): void {
    this.#waiting.push(action);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const actions = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    try {
      this.#leases.commit();
    } catch (error) {
      this.#log.error(
        { error, messages: actions.length },
        'DHCP: leases cannot be stored; the machines that asked get no answer and ask again',
      );
      return;
    }
    for (const action of actions) this.#run(action);
  }
  #run(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#log.error({ error }, 'DHCP: a reply failed');
    }
  }
}
