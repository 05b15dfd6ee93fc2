// Limits how fast the processes of plugins may send, because the daemon's main thread reads, checks and answers what they
// send.
import type { Clock } from '../../../lib/clock.ts';

/** A unit of cost is about 0.05 ms of the main thread's time, in which the thread parses and checks a KiB of JSON. */
const BYTES_OF_UNIT = 1024;
/**
 * What a message costs in addition to its size. A question may make the main thread write to the database and wait for the disk.
 * An answer costs nothing, because the daemon asked for it.
 */
const UNITS = { question: 16, line: 4, answer: 0 } as const;
/** How many units a plugin may use at once, after it was quiet for a while. */
const BURST_UNITS = 500;
const UNITS_PER_MILLISECOND = 2;
/** The rate shared by all plugins that have used up their units: about a fifth of the main thread's time. */
const TOTAL_UNITS_PER_MILLISECOND = 4;

/** `answer`: an answer for which the daemon waits. `line`: a line for the log, or another message that needs no answer. */
export type MessageKind = keyof typeof UNITS;

/** How much one process may send. */
export interface Credit {
  /** Charges a message, and returns how many milliseconds to wait before the next one is read. */
  charge(bytes: number, kind: MessageKind): number;
  /** To be called when the process has ended. */
  end(): void;
}

/**
 * Makes the credit of each process. All processes that send too much share one rate, so that starting more processes gains
 * nothing.
 */
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
