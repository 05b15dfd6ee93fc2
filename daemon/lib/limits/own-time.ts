// How much time a thread has had of its own: the time in which it computed or slept. The time in which it could compute, but other
// programs had the processor, does not count. So limits in this measure are independent of the speed and the load of the host.
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';

/** What the kernel knows about a thread at one moment. */
export interface ThreadReading {
  /** Milliseconds on a clock that never jumps. */
  readonly at: number;
  /** The processor time that the thread has used so far, in milliseconds. */
  readonly computed: number;
  /** Whether the thread waits for something other than a processor. A stopped thread counts as asleep. */
  readonly isAsleep: boolean;
}

/** The kernel's unit of processor times, on all platforms that Node.js supports. */
const MILLISECONDS_PER_TICK = 10;
const LOOK_MILLISECONDS = 1000;

/** Reads a thread of the process; undefined when it has ended. `thread`: its ID; that of the first thread is the process's. */
export function readThread(pid: number | undefined, thread = pid): ThreadReading | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    // the name of the program in parentheses may contain anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const computed = (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK;
    return { at: performance.now(), computed, isAsleep: fields[0] !== 'R' };
  } catch {
    return undefined;
  }
}

/** The milliseconds in which a thread computed, and those in which it slept. */
export interface OwnTime {
  readonly computed: number;
  readonly slept: number;
}

export const sumOf = ({ computed, slept }: OwnTime): number => computed + slept;

/** Measures a thread that is read from time to time. */
export class OwnTimeMeter {
  readonly #read: () => ThreadReading | undefined;
  #last: ThreadReading | undefined;
  #spent: OwnTime = { computed: 0, slept: 0 };

  constructor(read: () => ThreadReading | undefined) {
    this.#read = read;
    this.#last = read();
  }

  /** What the thread has had since `restart`. It counts as asleep only if it slept at both ends of the time between two looks. */
  look(): OwnTime {
    const [before, now] = [this.#last, this.#read()];
    this.#last = now;
    if (before === undefined || now === undefined) return this.#spent;
    const computed = now.computed - before.computed;
    const slept = before.isAsleep && now.isAsleep ? Math.max(0, now.at - before.at - computed) : 0;
    this.#spent = { computed: this.#spent.computed + computed, slept: this.#spent.slept + slept };
    return this.#spent;
  }

  /** Counts from zero. */
  restart(): void {
    this.#last = this.#read();
    this.#spent = { computed: 0, slept: 0 };
  }
}

/**
 * Calls `over` once when `isOver` is true of what the thread has had since this call, which is looked at every second. Returns a
 * function that ends the watch.
 */
export function whenOwnTime(
  isOver: (spent: OwnTime) => boolean,
  meter: OwnTimeMeter,
  clock: Clock,
  over: (spent: OwnTime) => void,
): () => void {
  let cancel: (() => void) | undefined;
  const lookLater = () => {
    cancel = clock.after(LOOK_MILLISECONDS, () => {
      const spent = meter.look();
      if (isOver(spent)) over(spent);
      else lookLater();
    });
  };
  lookLater();
  return () => cancel?.();
}
