// Makes values immutable.

/** Freezes `value` at every depth, and returns it. Objects that are already frozen are skipped, and so are their parts. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}
