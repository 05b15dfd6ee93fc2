// How long some work usually takes, judged by how many seconds it took before, and whether work is late.

/** With fewer times than this, nothing is known about the usual time. */
export const FEWEST_SAMPLES = 3;

/** Returns the median; undefined for too few times. */
export function usualSeconds(times: readonly number[]): number | undefined {
  if (times.length < FEWEST_SAMPLES) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** Work is late only when it has taken this much longer than usual: short work often takes more than twice its usual time. */
const GRACE_SECONDS = 30;

export const isLate = (age: number, usual: number): boolean => age > 2 * usual && age > usual + GRACE_SECONDS;
