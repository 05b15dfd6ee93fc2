// The words for true and false, in requests and in the configuration.

/** Returns the value of a JSON or textual boolean; undefined if it is not one. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = String(value).toLowerCase();
  if (['1', 't', 'true', 'on', 'y', 'yes'].includes(text)) return true;
  return ['0', 'f', 'false', 'off', 'n', 'no'].includes(text) ? false : undefined;
}
