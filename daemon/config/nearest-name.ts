// Finds the known name that a misspelt name probably stands for.

/**
 * Returns the nearest known name that is at most two slips away (a letter missing, added or changed, or two letters swapped),
 * ignoring case. In a name of two or three letters at most one slip is allowed, because two could make another word.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let limit = Math.min(2, Math.floor(name.length / 2));
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const slips = slipsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (slips > limit) continue;
    nearest = candidate;
    limit = slips - 1;
  }
  return nearest;
}

/** Optimal string alignment distance. */
function slipsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const changed = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[row - 2] === to[column - 1] && from[row - 1] === to[column - 2];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + changed,
        swapped ? at(beforeLast, column - 2) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
