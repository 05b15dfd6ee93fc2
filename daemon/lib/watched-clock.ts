// A clock that knows how old a time stamp is although the wall clock was set in between: boards without a clock battery
// boot in 1970 and jump to the present when their time server answers.
import type { Clock } from './clock.ts';

export interface WatchedClock extends Clock {
  /**
   * Milliseconds since `stamp`, a time that `now` returned, was taken. For a stamp of an earlier run of the daemon it is
   * what the wall clock says; one from the future, or from nowhere (NaN), counts as taken at the start of this run.
   */
  age(stamp: number): number;
}

/** A time server corrects the clock by less all the time. */
const SMALLEST_JUMP_MILLISECONDS = 1000;
/** How many are remembered; stamps from before them count as those of an earlier run. */
const MOST_STRETCHES = 32;

/** A time in which the wall clock was not set, from the first to the last look at it. */
interface Stretch {
  readonly firstWall: number;
  readonly lastWall: number;
  readonly lastMonotonic: number;
}

/** Calls `onJump` each time the clock was set, with the milliseconds by which it was. */
export function watchedClock(clock: Clock, onJump: (milliseconds: number) => void): WatchedClock {
  const look = () => ({ wall: clock.now(), monotonic: clock.monotonic() });
  const start = look();
  const begin = ({ wall, monotonic }: typeof start): Stretch => ({
    firstWall: wall,
    lastWall: wall,
    lastMonotonic: monotonic,
  });
  let current = begin(start);
  let past: readonly Stretch[] = [];
  const observe = () => {
    const seen = look();
    const jump = seen.wall - current.lastWall - (seen.monotonic - current.lastMonotonic);
    if (Math.abs(jump) < SMALLEST_JUMP_MILLISECONDS) {
      current = { ...current, lastWall: seen.wall, lastMonotonic: seen.monotonic };
    } else {
      past = [current, ...past].slice(0, MOST_STRETCHES);
      current = begin(seen);
      onJump(Math.round(jump));
    }
    return seen;
  };
  return {
    now: () => observe().wall,
    monotonic: () => clock.monotonic(),
    after: (milliseconds, action) => clock.after(milliseconds, action),
    age(stamp) {
      const { monotonic } = observe();
      const stretch = [current, ...past].find(
        ({ firstWall, lastWall }) => firstWall <= stamp && stamp <= lastWall,
      );
      if (stretch !== undefined) return stretch.lastWall - stamp + monotonic - stretch.lastMonotonic;
      return Math.max(0, start.wall - stamp || 0) + monotonic - start.monotonic;
    },
  };
}
