// How long some work usually takes, judged by how many seconds it took before, and whether work is late.

/** With fewer measured times than this, the usual time is not known. */
const FEWEST_SAMPLES = 3;

/** Returns the median; undefined for too few times. */
export function usualSeconds(times: readonly number[]): number | undefined {
  if (times.length < FEWEST_SAMPLES) return undefined;
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
}

/** Short work often takes more than twice its usual time, so work is late only if it also exceeds that usual time by this much. */
const GRACE_SECONDS = 30;

export const isLate = (age: number, usual: number): boolean => age > 2 * usual && age > usual + GRACE_SECONDS;
