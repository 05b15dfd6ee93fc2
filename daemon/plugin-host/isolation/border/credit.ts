// How fast plugins' processes may send: what they send is read, checked and served on the daemon's main thread.
import type { Clock } from '../../../lib/clock.ts';

/** A unit is about 0.05 ms of the main thread: a KiB of JSON to parse and check. */
const BYTES_OF_UNIT = 1024;
/**
 * What a message costs beside its size. A question may write to the database, and the main thread waits for the disk. The
 * daemon has asked for an answer that it waits for, so such an answer costs nothing.
 */
const UNITS = { question: 16, line: 4, answer: 0 } as const;
/** What a plugin may send at once. */
const BURST_UNITS = 500;
const UNITS_PER_MILLISECOND = 2;
/** Of all plugins that are in debt together: about a fifth of the main thread. */
const TOTAL_UNITS_PER_MILLISECOND = 4;

/** `line`: of the log. */
export type MessageKind = keyof typeof UNITS;

/** Of one process. */
export interface Credit {
  /** Charges a message, and returns how many milliseconds to wait before the next one is read. */
  charge(bytes: number, kind: MessageKind): number;
  /** The process has ended. */
  end(): void;
}

/** Of all processes: those that send too much share what they get, so that their number does not matter. */
export class Credits {
  readonly #clock: Clock;
  readonly #debtors = new Set<object>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  open(): Credit {
    const key = {};
    let units = BURST_UNITS;
    let read = this.#clock.monotonic();
    return {
      charge: (bytes, kind) => {
        const now = this.#clock.monotonic();
        units = Math.min(BURST_UNITS, units + (now - read) * this.#rate());
        read = now;
        units -= bytes / BYTES_OF_UNIT + UNITS[kind];
        if (units >= 0) return this.#repaid(key);
        this.#debtors.add(key);
        return Math.ceil(-units / this.#rate());
      },
      end: () => void this.#debtors.delete(key),
    };
  }

  #repaid(key: object): 0 {
    this.#debtors.delete(key);
    return 0;
  }

  #rate(): number {
    return Math.min(UNITS_PER_MILLISECOND, TOTAL_UNITS_PER_MILLISECOND / Math.max(1, this.#debtors.size));
  }
}
