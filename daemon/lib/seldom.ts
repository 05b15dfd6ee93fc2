// Says whether something was not said lately, so that what repeats with every packet is reported once in a while.
import type { Clock } from './clock.ts';

// Whoever makes up names fills this, and then loses the memory of the oldest
const MOST_KEYS = 1000;

export class Seldom {
  readonly #clock: Clock;
  readonly #pause: number;
  readonly #said = new Map<string, number>();

  constructor(clock: Clock, pauseMilliseconds: number) {
    this.#clock = clock;
    this.#pause = pauseMilliseconds;
  }

  /** True when `key` was not asked about with this result during the pause. */
  isDue(key: string): boolean {
    const now = this.#clock.monotonic();
    const before = this.#said.get(key);
    if (before !== undefined && now < before + this.#pause) return false;
    this.#said.delete(key);
    this.#said.set(key, now);
    const [oldest] = this.#said.keys();
    if (this.#said.size > MOST_KEYS && oldest !== undefined) this.#said.delete(oldest);
    return true;
  }
}
