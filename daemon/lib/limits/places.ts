// Limits how many things of one kind, such as open streams, exist at once: in total, and for each caller. Each of these things
// takes one place.

export interface PlaceLimits {
  readonly most: number;
  readonly mostOfOne: number;
}

export class Places {
  readonly #limits: PlaceLimits;
  readonly #taken = new Map<string, number>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return [...this.#taken.values()].reduce((sum, each) => sum + each, 0);
  }

  /** Takes a place. Returns a function to call once to free it; undefined when there is no place for this caller. */
  take(caller: string): (() => void) | undefined {
    const own = this.#taken.get(caller) ?? 0;
    if (this.count >= this.#limits.most || own >= this.#limits.mostOfOne) return undefined;
    this.#taken.set(caller, own + 1);
    return () => {
      const left = (this.#taken.get(caller) ?? 1) - 1;
      if (left === 0) this.#taken.delete(caller);
      else this.#taken.set(caller, left);
    };
  }
}
