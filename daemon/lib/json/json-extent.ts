// Checks the nesting depth and the number of values of JSON text before it is parsed: one megabyte of text can become a
// hundred megabytes of objects.

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** The maximum nesting depth of what other services send. The replies of real BMCs have at most 10 levels. */
export const DEPTH_LIMIT = 100;

/** The maximum number of values in one document. The largest inventories of real servers have some 30,000. */
export const VALUES_LIMIT = 200_000;

/** Returns which limit `bytes` exceed, `depthLimit` or VALUES_LIMIT, if any. The text need not be valid JSON. */
export function jsonExcess(bytes: Uint8Array, depthLimit: number): 'depth' | 'values' | undefined {
  let depth = 0;
  // the outermost value; in a list or object, the opening bracket counts as the first value, each comma as a further one
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (OPENING.has(byte)) {
      depth += 1;
      values += 1;
    }
    if (depth > depthLimit) return 'depth';
    if (values > VALUES_LIMIT) return 'values';
  }
  return undefined;
}

/** Returns the value of a JSON text; undefined when it is invalid, or exceeds DEPTH_LIMIT or VALUES_LIMIT. */
export function boundedJson(bytes: Uint8Array): unknown {
  if (jsonExcess(bytes, DEPTH_LIMIT) !== undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Returns the index of the closing quote of the string that begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
