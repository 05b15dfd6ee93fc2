// The machines that are being taken in: a limited number at once, one step of a machine at a time.

/** Whether work goes on in the background that wakes the machine when it ends. */
export type TakeInProgress = 'goes on' | 'ended';

/** `retry`: what has failed is tried again. */
export type Advance = (machine: string, retry: boolean) => Promise<TakeInProgress>;

export class TakeInQueue {
  /** The machines that hold one of the places. */
  readonly #underWay = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** Woken while all places were held or while a step ran, and whether to retry. */
  readonly #waiting = new Map<string, boolean>();
  #advance: Advance | undefined;
  #places = 0;

  /** From now on, woken machines are advanced, at most `places` at once. `advance` must not reject. */
  open(places: number, advance: Advance): void {
    this.#places = places;
    this.#advance = advance;
    this.#startWaiting();
  }

  /** Resolves when the steps that run have ended. */
  async close(): Promise<void> {
    this.#advance = undefined;
    await Promise.all(this.#running.values());
  }

  wake(machine: string, retry = false): void {
    this.#waiting.set(machine, retry || this.#waiting.get(machine) === true);
    this.#startWaiting();
  }

  #startWaiting(): void {
    const advance = this.#advance;
    if (advance === undefined) return;
    for (const [machine, retry] of this.#waiting) {
      const hasPlace = this.#underWay.has(machine) || this.#underWay.size < this.#places;
      if (!hasPlace || this.#running.has(machine)) continue;
      this.#waiting.delete(machine);
      this.#underWay.add(machine);
      this.#running.set(machine, this.#run(advance(machine, retry), machine));
    }
  }

  async #run(step: Promise<TakeInProgress>, machine: string): Promise<void> {
    const outcome = await step;
    this.#running.delete(machine);
    if (outcome === 'ended') this.#underWay.delete(machine);
    this.#startWaiting();
  }
}
