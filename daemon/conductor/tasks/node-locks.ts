// Locks on nodes. They exist only in the memory of this process, so a crash cannot leave one behind.
import type { Clock } from '../../lib/clock.ts';
import { fault } from '../../model/faults.ts';

type Release = () => void;

/** How long a request waits at least for work that only tidies up: long enough to power a machine off. */
const ENDING_PATIENCE_MILLISECONDS = 60_000;

interface Waiter {
  readonly grant: (release: Release) => void;
}

interface Held {
  /** In order of arrival. */
  readonly waiters: Waiter[];
  /** Whether the node already shows the state in which the holder's work leaves it. */
  isEnding: boolean;
}

export class NodeLocks {
  readonly #clock: Clock;
  readonly #host: string;
  /** Held locks by node UUID. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, host: string) {
    this.#clock = clock;
    this.#host = host;
  }

  /** Returns what the API shows as `reservation`: this host while the node is locked, else null. */
  holderOf(node: string): string | null {
    return this.#held.has(node) ? this.#host : null;
  }

  /** Returns a function that releases the lock, or undefined when the node is locked already. */
  tryAcquire(node: string): Release | undefined {
    if (this.#held.has(node)) return undefined;
    this.#held.set(node, { waiters: [], isEnding: false });
    return this.#releaser(node);
  }

  /**
   * Says whether the work of the lock's holder is over but for tidying up. A client that sees the node at rest sends its next
   * request at once; this request waits for the tidying instead of being refused.
   */
  setEnding(node: string, isEnding: boolean): void {
    const held = this.#held.get(node);
    if (held !== undefined) held.isEnding = isEnding;
  }

  /** Waits in line for at most `patienceMilliseconds`, or a minute if the holder's work is ending; then throws NodeLocked. */
  acquire(node: string, patienceMilliseconds: number): Promise<Release> {
    const free = this.tryAcquire(node);
    if (free !== undefined) return Promise.resolve(free);
    const { waiters, isEnding } = this.#held.get(node) ?? { waiters: [], isEnding: false };
    const patience = isEnding
      ? Math.max(patienceMilliseconds, ENDING_PATIENCE_MILLISECONDS)
      : patienceMilliseconds;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: (release) => {
          cancel();
          resolve(release);
        },
      };
      const cancel = this.#clock.after(patience, () => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(fault('NodeLocked', { node, host: this.#host }));
      });
      waiters.push(waiter);
    });
  }

  #releaser(node: string): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const held = this.#held.get(node);
      const next = held?.waiters.shift();
      if (held === undefined || next === undefined) {
        this.#held.delete(node);
        return;
      }
      held.isEnding = false;
      next.grant(this.#releaser(node));
    };
  }
}
