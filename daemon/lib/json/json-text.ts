// What JSON text can hold that JavaScript does not read well: so deep or so many values that one megabyte of text becomes a hundred
// megabytes of objects, and numbers that it cannot read and write unchanged: 1e999 becomes null, 12345678901234567890 is rounded.

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

/** JSON with access to the source text (ECMA-262, 2026), which TypeScript does not declare yet. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const json = JSON as unknown as JsonWithSource;

// Matches every JSON text with a number that may change (16 digits or an exponent), and some texts with a string that looks like
// one. Such texts are rare; only they are parsed number by number, which takes about ten times as long.
const SUSPICIOUS = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Returns the first number in the JSON text that would change, as written there; undefined if none would. */
export function changedNumber(text: string): string | undefined {
  if (!SUSPICIOUS.test(text)) return undefined;
  let first: string | undefined;
  json.parse(text, (_, value, { source }) => {
    if (changes(source, value)) first ??= source;
    return value;
  });
  return first;
}

/** For each object or list that holds numbers that changed: the original text of these numbers, by key. */
export type SentNumbers = ReadonlyMap<unknown, ReadonlyMap<string, string>>;

/** Like JSON.parse, but also returns the original text of numbers that changed, which `writeJson` restores. */
export function readJson(text: string): { readonly value: unknown; readonly numbers: SentNumbers } {
  const numbers = new Map<unknown, Map<string, string>>();
  if (!SUSPICIOUS.test(text)) return { value: JSON.parse(text), numbers };
  const value = json.parse(text, function keep(key, each, { source }) {
    if (changes(source, each)) {
      const held = numbers.get(this) ?? new Map<string, string>();
      numbers.set(this, held.set(key, source));
    }
    return each;
  });
  return { value, numbers };
}

/** Like JSON.stringify, but writes numbers as they were sent. `original`: the object that `value` was copied from. */
export function writeJson(value: object, numbers: SentNumbers, original: object = value): string {
  if (numbers.size === 0) return JSON.stringify(value);
  return JSON.stringify(value, function write(this: unknown, key: string, each: unknown) {
    if (typeof each !== 'number') return each;
    const source = numbers.get(this === value ? original : this)?.get(key);
    return source !== undefined && Number(source) === each ? json.rawJSON(source) : each;
  });
}

// Programs store a fraction as a double, and 17 digits identify every double. A fraction with more digits counts as changed.
const MOST_DIGITS = 17;

function changes(source: string | undefined, value: unknown): source is string {
  if (source === undefined || typeof value !== 'number') return false;
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(source)) return String(value) !== source && source !== '-0';
  const [mantissa = ''] = source.split(/[eE]/, 1);
  const digits = mantissa.replace(/^[-0.]+/, '').replace('.', '');
  return value === 0 ? digits !== '' : digits.length > MOST_DIGITS;
}
