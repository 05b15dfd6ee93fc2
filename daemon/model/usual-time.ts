// How long some work usually takes, from earlier times in seconds, and whether work is late.

/** Fewer times than this do not tell what is usual. */
export const FEWEST_SAMPLES = 3;

/** Returns the median; undefined for too few times. */
export function usualSeconds(times: readonly number[]): number | undefined {
  if (times.length < FEWEST_SAMPLES) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** Work is not late until it has taken this much longer than usual: the time of short work varies by more than its double. */
const GRACE_SECONDS = 30;

export const isLate = (age: number, usual: number): boolean => age > 2 * usual && age > usual + GRACE_SECONDS;
