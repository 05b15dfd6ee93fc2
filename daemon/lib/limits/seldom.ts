// Limits how often a repeating event, such as one that every packet of a sender causes, is reported.
import type { Clock } from '../clock.ts';
import { RecentMap } from './recent-map.ts';

// A sender that makes up keys fills the map; the oldest keys are then forgotten, and reported again before their pause is over
const MOST_KEYS = 1000;

export class Seldom {
  readonly #clock: Clock;
  readonly #pause: number;
  readonly #said: RecentMap<string, number>;

  constructor(clock: Clock, pauseMilliseconds: number, mostKeys = MOST_KEYS) {
    this.#clock = clock;
    this.#pause = pauseMilliseconds;
    this.#said = new RecentMap(mostKeys);
  }

  /** Returns true for a new key, and when the pause has passed since it last returned true for `key`. */
  isDue(key: string): boolean {
    const now = this.#clock.monotonic();
    const before = this.#said.get(key);
    if (before !== undefined && now < before + this.#pause) return false;
    this.#said.set(key, now);
    return true;
  }
}
