// Intervals that plugins declare as a number of seconds or as the option that holds it.
import { isJsonObject } from '../../model/json.ts';
import type { Interval } from '../periodic.ts';
import type { Configuration } from '../task.ts';

export const isInterval = (value: unknown): value is Interval =>
  isSeconds(value) ||
  (isJsonObject(value) && typeof value['section'] === 'string' && typeof value['option'] === 'string');

/** Returns the interval in seconds. Throws an Error when the option holds no interval; a negative number counts as 0. */
export function secondsOf(interval: Interval, configuration: Configuration): number {
  if (typeof interval === 'number') return interval;
  const { section, option } = interval;
  const seconds = configuration[section]?.[option];
  // an operator may also write -1 to disable the work
  const wanted = typeof seconds === 'number' ? Math.max(seconds, 0) : undefined;
  if (isSeconds(wanted)) return wanted;
  throw new Error(
    `[${section}] ${option} is ${JSON.stringify(seconds)}, but an interface names it as an interval: expected 0, or a number of seconds from 1 to ${LONGEST_SECONDS}`,
  );
}

/** Timers count milliseconds in 31 bits. */
const LONGEST_SECONDS = 2_000_000;

/**
 * Whether the value can be an interval: 0, which means never, or a number from 1 to `LONGEST_SECONDS`. Outside of these bounds,
 * work could repeat without pause.
 */
export const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && (value === 0 || (value >= 1 && value <= LONGEST_SECONDS));
