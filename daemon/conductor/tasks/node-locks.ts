// Locks on nodes. They exist only in the memory of this process, so a crash cannot leave one behind.
import type { Clock } from '../../lib/clock.ts';
import { fault } from '../../model/faults.ts';

export type Release = () => void;

interface Waiter {
  readonly grant: (release: Release) => void;
}

export class NodeLocks {
  readonly #clock: Clock;
  readonly #host: string;
  /** Held locks by node UUID, each with its waiters in order of arrival. */
  readonly #held = new Map<string, Waiter[]>();

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
    this.#held.set(node, []);
    return this.#releaser(node);
  }

  /** Waits in line for at most `patienceMilliseconds`, then throws NodeLocked. */
  acquire(node: string, patienceMilliseconds: number): Promise<Release> {
    const free = this.tryAcquire(node);
    if (free !== undefined) return Promise.resolve(free);
    const waiters = this.#held.get(node) ?? [];
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: (release) => {
          cancel();
          resolve(release);
        },
      };
      const cancel = this.#clock.after(patienceMilliseconds, () => {
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
      const next = this.#held.get(node)?.shift();
      if (next === undefined) this.#held.delete(node);
      else next.grant(this.#releaser(node));
    };
  }
}
