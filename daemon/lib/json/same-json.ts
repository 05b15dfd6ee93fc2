// Compares JSON values by their text.

/** Whether two values have the same JSON text. Two objects whose keys are in a different order differ. */
export const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
