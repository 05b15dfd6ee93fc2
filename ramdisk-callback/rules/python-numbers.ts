// Writes numbers as Python does. Exact: a double is treated as a fraction, and ties are rounded to even.

/** Whether the number counts as an integer: JSON.stringify writes it with neither fraction nor exponent. */
export const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 1e21;

/** A number's text without its sign. */
export interface Numeral {
  /** The integer part, in which thousands separators go. */
  readonly digits: string;
  /** Decimal point, fraction and exponent; or `inf` or `nan`. */
  readonly rest: string;
}

export interface FloatStyle {
  /** `e`, `f` or `g`; `repr`: the shortest text that is read back as the same double. */
  readonly type: 'e' | 'f' | 'g' | 'repr';
  /** Decimals, or significant digits with `g`; `repr` ignores it. */
  readonly precision: number;
  /** Whether to write a trailing decimal point, and the trailing zeros that `g` leaves out. */
  readonly alternate: boolean;
  /** Whether to write at least one decimal if there is no exponent, as in 3.0. */
  readonly decimal: boolean;
}

/** `value` must not be negative. */
export function floatNumeral(value: number, style: FloatStyle): Numeral {
  if (!Number.isFinite(value)) return { digits: '', rest: Number.isNaN(value) ? 'nan' : 'inf' };
  const { type, precision } = style;
  if (type === 'f') return plainNumeral(fixedPoint(value, precision), style);
  if (type === 'e') return scientificNumeral(significant(value, precision + 1), style);
  if (type === 'repr') return shorterNumeral(shortest(value), 16, style);
  const count = Math.max(1, precision);
  return shorterNumeral(significant(value, count), count - (style.decimal ? 1 : 0), style);
}

/** Returns a float as Python's repr() and str() write it. */
export function floatText(value: number): string {
  const style = { type: 'repr', precision: 0, alternate: false, decimal: true } as const;
  const { digits, rest } = floatNumeral(Math.abs(value), style);
  return `${value < 0 ? '-' : ''}${digits}${rest}`;
}

/** The decimal point comes before the digit at `point`, which may be outside `digits`. */
interface Digits {
  readonly digits: string;
  readonly point: number;
}

/** `largest`: a value with more digits than this before the decimal point is written with an exponent. */
function shorterNumeral(found: Digits, largest: number, style: FloatStyle): Numeral {
  const shown = style.alternate ? found : { ...found, digits: withoutTrailingZeros(found.digits) };
  const isExtreme = shown.point <= -4 || shown.point > largest;
  return isExtreme ? scientificNumeral(shown, style) : plainNumeral(shown, style);
}

/** Keeps at least one digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function plainNumeral({ digits, point }: Digits, { alternate, decimal }: FloatStyle): Numeral {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return { digits: whole, rest: pointed(fraction === '' && decimal ? '0' : fraction, alternate) };
}

function scientificNumeral({ digits, point }: Digits, { alternate }: FloatStyle): Numeral {
  const exponent = String(Math.abs(point - 1)).padStart(2, '0');
  const rest = `${pointed(digits.slice(1), alternate)}e${point < 1 ? '-' : '+'}${exponent}`;
  return { digits: digits.slice(0, 1), rest };
}

const pointed = (fraction: string, alternate: boolean): string =>
  fraction === '' && !alternate ? '' : `.${fraction}`;

function shortest(value: number): Digits {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return { digits: digits.replace('.', ''), point: Number(exponent) + 1 };
}

function fixedPoint(value: number, decimals: number): Digits {
  const digits = String(scaled(value, decimals)).padStart(decimals + 1, '0');
  return { digits, point: digits.length - decimals };
}

function significant(value: number, count: number): Digits {
  if (value === 0) return { digits: '0'.repeat(count), point: 1 };
  const { point: near } = shortest(value);
  // rounding may add a digit
  const digits = String(scaled(value, count - near));
  return digits.length > count
    ? { digits: digits.slice(0, count), point: near + 1 }
    : { digits, point: near };
}

/** Returns value * 10 ** power, rounded half to even. */
function scaled(value: number, power: number): bigint {
  let [whole, denominator] = [value, 1n];
  while (!Number.isInteger(whole)) {
    whole *= 2;
    denominator *= 2n;
  }
  const factor = 10n ** BigInt(Math.abs(power));
  const numerator = BigInt(whole) * (power > 0 ? factor : 1n);
  if (power < 0) denominator *= factor;
  const quotient = numerator / denominator;
  const twice = 2n * (numerator % denominator);
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
