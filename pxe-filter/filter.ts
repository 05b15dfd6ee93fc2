// Updates the host files at once when the database file changes. A periodic full comparison finds changes that were missed, and
// repairs host files that somebody else changed.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type DatabaseReader, openReader } from '../daemon/db/read-only.ts';
import type { Clock } from '../daemon/lib/clock.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import { type FilterParts, synchronise } from './synchronise.ts';

/**
 * The change event arrives while a commit is being made durable, before the commit is visible to readers. The filter
 * therefore checks for a new commit repeatedly, with a delay that starts at this value and doubles each time.
 */
const FIRST_LOOK_MILLISECONDS = 1;
/** The minimum time between two reads of the records, however often the daemon writes. */
const REST_MILLISECONDS = 20;

const UNHEARD = 'cannot watch the database; changes may take effect only at the next full comparison';
const UNCHANGED = 'the host files remain unchanged';

export class PxeFilter {
  readonly #parts: FilterParts & { readonly clock: Clock };
  readonly #complaints = new Map<string, string>();
  #watcher: FSWatcher | undefined;
  #reader: DatabaseReader | undefined;
  /** Whether the last synchronisation failed and must be retried even if no record changes. */
  #unsettled = false;
  /** Milliseconds from a change event to the next check. */
  #soon = FIRST_LOOK_MILLISECONDS;
  /** The delay in milliseconds of the scheduled check; Infinity when none is scheduled. */
  #lookDelay = Infinity;
  #cancelLook = () => {};
  #cancelComparison = () => {};

  /** Attempts the first full comparison before the constructor returns. */
  constructor(parts: FilterParts & { readonly clock: Clock }) {
    this.#parts = parts;
    this.#compare();
  }

  stop(): void {
    this.#cancelComparison();
    this.#cancelLook();
    this.#closeAll();
  }

  get #periodMilliseconds(): number {
    return this.#parts.config.pxe_filter.sync_period * 1000;
  }

  // reopens everything, because any of the files may have been replaced
  #compare(): void {
    this.#cancelComparison = this.#parts.clock.after(this.#periodMilliseconds, () => this.#compare());
    this.#closeAll();
    this.#look(FIRST_LOOK_MILLISECONDS);
  }

  #watch(): FSWatcher {
    const { path } = this.#parts.config.database;
    const [file, log] = [basename(path), `${basename(path)}-wal`];
    return watch(dirname(path), (event, name) => {
      if (name !== file && name !== log) return;
      if (event === 'rename') this.#closeReader();
      this.#lookIn(this.#soon);
    }).on('error', (error) => this.#parts.log.warn({ reason: reasonOf(error) }, UNHEARD));
  }

  #lookIn(delay: number): void {
    if (delay >= this.#lookDelay) return;
    this.#cancelLook();
    this.#lookDelay = delay;
    this.#cancelLook = this.#parts.clock.after(delay, () => this.#look(delay));
  }

  #look(delay: number): void {
    this.#cancelLook();
    this.#lookDelay = Infinity;
    this.#attempt(UNHEARD, () => (this.#watcher ??= this.#watch()));
    this.#attempt(UNCHANGED, () => {
      this.#reader ??= this.#open();
      this.#unsettled ||= this.#reader.isStale();
      this.#soon = this.#unsettled ? REST_MILLISECONDS : FIRST_LOOK_MILLISECONDS;
      if (this.#unsettled) synchronise(this.#parts, this.#reader);
      this.#unsettled = false;
    });
    const next = Math.max(2 * delay, this.#soon);
    if (next < this.#periodMilliseconds) this.#lookIn(next);
  }

  #open(): DatabaseReader {
    this.#parts.hosts.read();
    return openReader(this.#parts.config.database.path);
  }

  #closeAll(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#closeReader();
  }

  #closeReader(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  /**
   * Runs `work`. Logs a failure when it first occurs and when its reason changes, with `consequence` as the message.
   */
  #attempt(consequence: string, work: () => void): void {
    const { log } = this.#parts;
    try {
      work();
      if (this.#complaints.delete(consequence)) log.info({ from: consequence }, 'recovered');
    } catch (error) {
      const reason = reasonOf(error);
      if (this.#complaints.get(consequence) !== reason) log.warn({ reason }, consequence);
      this.#complaints.set(consequence, reason);
    }
  }
}
