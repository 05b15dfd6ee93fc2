// The words for true and false. Ironic accepts the same twelve in requests, driver_info, root device hints and agent_verify_ca.
// Ironic's configuration does not accept t, y, f and n; this daemon's does, so that there is one set of words to remember.

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'true', 'on', 'y', 'yes']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'false', 'off', 'n', 'no']);

/** Returns the boolean that a word in any case stands for; undefined for any other text. */
export function booleanOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return true;
  return FALSE.has(word) ? false : undefined;
}
