// Numbers in JSON that JavaScript changes when it reads and writes them: 1e999 becomes null, 12345678901234567890 is
// rounded.

/** JSON with access to the source text (ECMA-262, 2026), which the compiler does not know yet. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const json = JSON as unknown as JsonWithSource;

// What a text has in which a number changes: 16 digits or an exponent. Some strings look the same. Few texts do, so that
// few are read number by number, which takes some ten times as long.
const SUSPICIOUS = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/;

/** The first number of the JSON text that would change, as it is written there. */
export function changedNumber(text: string): string | undefined {
  if (!SUSPICIOUS.test(text)) return undefined;
  let first: string | undefined;
  json.parse(text, (_, value, { source }) => {
    if (changes(source, value)) first ??= source;
    return value;
  });
  return first;
}

/** Numbers that changed, as they were sent: by the object or list that holds them, then by key. */
export type SentNumbers = ReadonlyMap<unknown, ReadonlyMap<string, string>>;

/** As JSON.parse, with what `writeJson` needs to write the numbers as they were sent. */
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

/** As JSON.stringify, but with numbers as they were sent. `original`: the object that `value` is a changed copy of. */
export function writeJson(value: object, numbers: SentNumbers, original: object = value): string {
  if (numbers.size === 0) return JSON.stringify(value);
  return JSON.stringify(value, function write(this: unknown, key: string, each: unknown) {
    if (typeof each !== 'number') return each;
    const source = numbers.get(this === value ? original : this)?.get(key);
    return source !== undefined && Number(source) === each ? json.rawJSON(source) : each;
  });
}

// Any program rounds a fraction to a double, which 17 digits tell from every other.
const MOST_DIGITS = 17;

function changes(source: string | undefined, value: unknown): source is string {
  if (source === undefined || typeof value !== 'number') return false;
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(source)) return String(value) !== source && source !== '-0';
  const [mantissa = ''] = source.split(/[eE]/, 1);
  const digits = mantissa.replace(/^[-0.]+/, '').replace('.', '');
  return value === 0 ? digits !== '' : digits.length > MOST_DIGITS;
}
