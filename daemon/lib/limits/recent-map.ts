// A map with a limited number of entries, for keys that strangers choose. When it is full, it forgets the entry that was set
// longest ago.

export class RecentMap<K, V> {
  readonly #limit: number;
  // a Map iterates in the order of insertion
  readonly #entries = new Map<K, V>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest);
  }
}
