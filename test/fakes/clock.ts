// A clock that only a test advances.
import { type Clock, systemClock } from '../../daemon/lib/clock.ts';

export interface FakeClock extends Clock {
  /** Advances by `milliseconds`, runs the actions that become due, in order, and lets promises settle after each. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the wall clock forwards or, with a negative number, back; scheduled actions are not affected. */
  set(milliseconds: number): void;
  /** How many actions are scheduled. */
  readonly pending: number;
  /** When the next scheduled action falls due, as if `set` had never been called; undefined when none is scheduled. */
  readonly nextDue: number | undefined;
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  let set = 0;
  const scheduled = new Set<{ readonly due: number; readonly action: () => void }>();
  const next = (limit: number) =>
    [...scheduled].filter(({ due }) => due <= limit).toSorted((a, b) => a.due - b.due)[0];
  return {
    now: () => now + set,
    monotonic: () => now - start,
    set(milliseconds) {
      set += milliseconds;
    },
    after(milliseconds, action) {
      const entry = { due: now + milliseconds, action };
      scheduled.add(entry);
      return () => scheduled.delete(entry);
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settled();
      for (let entry = next(end); entry !== undefined; entry = next(end)) {
        scheduled.delete(entry);
        now = entry.due;
        entry.action();
        await settled();
      }
      now = end;
    },
    get pending() {
      return scheduled.size;
    },
    get nextDue() {
      return next(Number.POSITIVE_INFINITY)?.due;
    },
  };
}

/** Resolves when the callbacks of promises that are settled have run. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The system's clock, but delays are a thousand times shorter. If a timeout must not expire, make it a day. */
export const hurriedClock: Clock = {
  ...systemClock,
  after: (milliseconds, action) => systemClock.after(milliseconds / 1000, action),
};
