// Facts about a BMC that save requests: paths, ETags, what the BMC accepts. They are forgotten when its connection is dropped.
import type { Remedies } from '../quirks/remedies.ts';
import type { MatchHabit } from './etags.ts';
import { redfishLimits } from '../limits.ts';

interface Reading {
  readonly value: unknown;
  /** When it was read, in milliseconds of the clock's `monotonic`. */
  readonly at: number;
}

export class Learnt {
  matchHabit: MatchHabit = 'as sent';
  /** The properties that the BMC needs to insert an image. */
  insertNeeds: readonly string[] = [];
  /** Whether the BMC has refused to return a collection together with its members. */
  refusesExpand = false;
  /** The requests that had no use although they were repeated, when they were sent last. */
  readonly broken = new Set<string>();
  /** What does not change, such as paths, links and lists, keyed by a description. */
  readonly facts = new Map<string, unknown>();
  /** What hardly changes, such as the list of the chassis, keyed by a description. See `Bmc.known`. */
  readonly lists = new Map<string, Reading>();
  /** The last readings of values that may change, keyed by a description. */
  readonly readings = new Map<string, Reading>();
  remedies: Remedies | undefined;
  readonly #etags = new Map<string, string>();

  /** Returns the fact known under `name`; otherwise finds it, and keeps it unless it is undefined. */
  async fact<T>(name: string, find: () => Promise<T>): Promise<T> {
    const known = this.facts.get(name);
    if (known !== undefined) return known as T;
    const found = await find();
    this.facts.set(name, found);
    return found;
  }

  etagOf(path: string): string | undefined {
    return this.#etags.get(path);
  }

  /** `etag`: undefined when the BMC sends no ETag. */
  rememberEtag(path: string, etag: string | undefined): void {
    this.#etags.delete(path);
    if (etag === undefined) return;
    this.#etags.set(path, etag);
    const [oldest] = this.#etags.keys();
    if (this.#etags.size > redfishLimits.etags && oldest !== undefined) this.#etags.delete(oldest);
  }

  forgetEtag(path: string): void {
    this.#etags.delete(path);
  }
}
