// Follows the records of the daemon. It acts at once when the database file changes; a complete comparison from time to
// time makes good whatever was missed or tampered with.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type DatabaseReader, openReader } from '../daemon/db/read-only.ts';
import type { Clock } from '../daemon/lib/clock.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import { type FilterParts, synchronise } from './synchronise.ts';

/**
 * The database file is heard to change while a commit is being made durable, and the commit is seen only after that:
 * from the first look on, each comes after twice the time.
 */
const FIRST_LOOK_MILLISECONDS = 1;
/** The least time between two readings of the records, however much the daemon writes. */
const REST_MILLISECONDS = 20;

const UNHEARD = 'changes of the database are not heard and wait for the next comparison';
const UNCHANGED = 'the host files stay as they are';

export class PxeFilter {
  readonly #parts: FilterParts & { readonly clock: Clock };
  readonly #complaints = new Map<string, string>();
  #watcher: FSWatcher | undefined;
  #reader: DatabaseReader | undefined;
  /** The last synchronisation failed: it is to be tried again though nothing may change. */
  #unsettled = false;
  /** How long after something is heard it looks, in milliseconds. */
  #soon = FIRST_LOOK_MILLISECONDS;
  /** The delay that the next look was given. */
  #lookDelay = Infinity;
  #cancelLook = () => {};
  #cancelComparison = () => {};

  /** The first complete comparison has been tried when this returns. */
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

  // everything is opened anew, for it may have been replaced
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

  /** A failure is logged when it begins and when its reason changes; `consequence` says what it means. */
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
