// A clock that knows the age of a time stamp even if the wall clock was set in between: boards without a clock battery
// boot in 1970 and jump to the present when a time server answers.
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

export interface WatchedClock extends Clock {
  /**
   * Returns the milliseconds since `now` returned `stamp`. For a stamp from an earlier run of the daemon, the wall
   * clock decides; a stamp in the future, or NaN, counts as taken at the start of this run.
   */
  age(stamp: number): number;
}

/** Smaller changes of the clock do not count as jumps: a time server makes them all the time. */
const SMALLEST_JUMP_MILLISECONDS = 1000;
/** How many past stretches are remembered; older stamps are treated like those of an earlier run. */
const MOST_STRETCHES = 32;

/** A period in which the wall clock was not set. It begins and ends with a reading of the clock. */
interface Stretch {
  readonly firstWall: number;
  readonly lastWall: number;
  readonly lastMonotonic: number;
}

/** Returns a clock that logs when the wall clock was set. */
export const loggedClock = (clock: Clock, log: Pick<Logger, 'warn'>): WatchedClock =>
  watchedClock(clock, (milliseconds) =>
    log.warn(
      { seconds: Math.round(milliseconds / 1000) },
      'the clock of this machine was set; deadlines are not affected',
    ),
  );

/** Calls `onJump` when a reading shows that the wall clock was set, with the milliseconds by which it jumped. */
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
    monotonic: clock.monotonic.bind(clock),
    after: clock.after.bind(clock),
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
