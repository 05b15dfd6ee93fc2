// The events as streams and webhooks read them: each reader keeps the id of the last event that it has read.
import type { Database } from '../../db/database.ts';
import type { EventFilter, StoredEvent } from '../../db/tables/events.ts';
import type { Clock } from '../../lib/clock.ts';

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The cursor for the next read: the id of the last of these events if there may be more, otherwise the newest id. */
  readonly cursor: number;
}

export class EventLog {
  readonly #table: Database['events'];
  readonly #clock: Pick<Clock, 'after'>;
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(table: Database['events'], clock: Pick<Clock, 'after'>) {
    this.#table = table;
    this.#clock = clock;
  }

  get newestId(): number {
    return this.#table.newestId();
  }

  /** Aborts when the daemon stops, so that readers end. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether the event after `cursor` and all older ones have been deleted, or `cursor` is above the newest id. */
  hasGapAfter(cursor: number): boolean {
    const oldest = this.#table.oldestId() ?? this.newestId + 1;
    return cursor < oldest - 1 || cursor > this.newestId;
  }

  read(cursor: number, limit: number, filter?: EventFilter): Batch {
    const events = this.#table.after(cursor, limit, filter);
    const last = events.length < limit ? this.newestId : events.at(-1)?.id;
    return { events, cursor: last ?? cursor };
  }

  /** Called when events are durable. */
  readonly wake = (): void => {
    for (const resume of this.#waiting) resume();
  };

  /**
   * Resolves when there are new events, after `milliseconds`, or when the log is closed. `also`: a set to which `next` adds a
   * function that ends the wait when it is called.
   */
  next(milliseconds: number, also?: Set<() => void>): Promise<void> {
    if (this.closing.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        cancel();
        this.#waiting.delete(resume);
        also?.delete(resume);
        resolve();
      };
      const cancel = this.#clock.after(milliseconds, resume);
      this.#waiting.add(resume);
      also?.add(resume);
    });
  }

  close(): void {
    this.#closing.abort();
    this.wake();
  }
}
