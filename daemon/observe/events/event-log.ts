// The events: notifications, which are stored here, and which streams and webhooks read. Each reader keeps the id of the last event
// that it has read.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { EventFilter, StoredEvent } from '../../db/tables/events.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';

interface EventSetup {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly host: string;
  /** How many events are kept. */
  readonly keep: number;
}

export interface NewEvent {
  readonly event_type: string;
  readonly node_uuid: string | null;
  readonly priority: 'info' | 'error';
  readonly payload: JsonObject;
}

/** Surplus events are deleted once in this many new events, so that up to this many more than `keep` are stored. */
const SURPLUS = 200;

export interface Batch {
  readonly events: readonly StoredEvent[];
  /** The cursor for the next read: the id of the last of these events if there may be more, otherwise the newest id. */
  readonly cursor: number;
}

export class EventLog {
  readonly #db: Pick<Database, 'events' | 'afterCommit'>;
  readonly #setup: EventSetup;
  readonly #waiting = new Set<() => void>();
  readonly #closing = new AbortController();

  constructor(db: Pick<Database, 'events' | 'afterCommit'>, setup: EventSetup) {
    this.#db = db;
    this.#setup = setup;
  }

  /** Stores an event. Readers that wait read it when it is durable. */
  store({ event_type, node_uuid, priority, payload }: NewEvent): void {
    const { clock, host, keep } = this.#setup;
    const body = JSON.stringify({
      event_type,
      message_id: randomUUID(),
      priority,
      publisher_id: `ironic-edge.${host}`,
      timestamp: new Date(clock.now()).toISOString(),
      payload,
    });
    const id = this.#db.events.insert({ event_type, node_uuid, body });
    if (id % SURPLUS === 0) this.#db.events.trim(id - keep);
    this.#db.afterCommit(this.#wake);
  }

  get newestId(): number {
    return this.#db.events.newestId();
  }

  /** Aborts when the daemon stops, so that readers end. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether the event after `cursor` and all older ones have been deleted, or `cursor` is above the newest id. */
  hasGapAfter(cursor: number): boolean {
    const oldest = this.#db.events.oldestId() ?? this.newestId + 1;
    return cursor < oldest - 1 || cursor > this.newestId;
  }

  read(cursor: number, limit: number, filter?: EventFilter): Batch {
    const events = this.#db.events.after(cursor, limit, filter);
    const last = events.length < limit ? this.newestId : events.at(-1)?.id;
    return { events, cursor: last ?? cursor };
  }

  readonly #wake = (): void => {
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
      const cancel = this.#setup.clock.after(milliseconds, resume);
      this.#waiting.add(resume);
      also?.add(resume);
    });
  }

  close(): void {
    this.#closing.abort();
    this.#wake();
  }
}
