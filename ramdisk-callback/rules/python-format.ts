// Python's format(value, specification) for JSON values.
import type { Json } from '../../daemon/model/json.ts';
import { floatNumeral, type FloatStyle, isInteger, type Numeral } from './python-numbers.ts';
import { pythonText } from './python-text.ts';

/** Thrown for a specification that Python refuses too, or whose width or precision is too large. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** Returns the value formatted by the specification `text`. Throws FormatError. */
export function pythonFormat(value: Json, text: string): string {
  if (text === '') return pythonText(value);
  const specification = parse(text);
  if (typeof value === 'string') return formattedText(value, specification);
  if (typeof value === 'number' || typeof value === 'boolean')
    return formattedNumber(Number(value), specification);
  throw new FormatError(`the format ${text} applies to strings and numbers only`);
}

/** The parts of `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. Absent text parts are '', except fill. */
interface Specification {
  readonly text: string;
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  /** Whether a value that is rounded to zero is written without a minus sign. */
  readonly positiveZero: boolean;
  readonly alternate: boolean;
  readonly zeroPadded: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPECIFICATION =
  /^(?:(?<fill>[^])?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<z>z)?(?<alternate>#)?(?<zero>0)?(?<width>[0-9]+)?(?<grouping>[,_])?(?:\.(?<precision>[0-9]+))?(?<type>[^])?$/u;

function parse(text: string): Specification {
  const groups: Readonly<Record<string, string | undefined>> | undefined = SPECIFICATION.exec(text)?.groups;
  if (groups === undefined) throw new FormatError(`${text} is not a Python format`);
  const { fill, precision } = groups;
  const part = (name: string) => groups[name] ?? '';
  const zeroPadded = fill === undefined && part('zero') !== '';
  return {
    text,
    fill: fill ?? (zeroPadded ? '0' : ' '),
    align: part('align'),
    sign: part('sign'),
    positiveZero: part('z') !== '',
    alternate: part('alternate') !== '',
    zeroPadded,
    width: lengthOf(part('width'), text),
    grouping: part('grouping'),
    precision: precision === undefined ? undefined : lengthOf(precision, text),
    type: part('type'),
  };
}

/**
 * The largest width and precision. Without this limit, a machine's report could ask for any number of characters, as in
 * `{inventory[name]:>{plugin_data[width]}}`.
 */
const LARGEST = 10_000;

function lengthOf(digits: string, text: string): number {
  if (Number(digits) <= LARGEST) return Number(digits);
  throw new FormatError(`the format ${text} asks for more than ${LARGEST} characters`);
}

const unfit = ({ text }: Specification, kind: string) =>
  new FormatError(`the format ${text} does not apply to ${kind}`);

function formattedText(value: string, specification: Specification): string {
  const { sign, positiveZero, alternate, grouping, type } = specification;
  const align = specification.align || '<';
  const isNumeric = positiveZero || alternate || sign + grouping !== '' || align === '=';
  if (isNumeric || !['', 's'].includes(type)) throw unfit(specification, 'strings');
  return padded(['', Array.from(value).slice(0, specification.precision).join('')], specification, align);
}

function formattedNumber(value: number, specification: Specification): string {
  const kind = specification.type === '' ? '' : kindOf(specification);
  const wantsInteger = kind === 'integer' || (kind === '' && isInteger(value));
  if (kind === 'integer' && !isInteger(value)) throw unfit(specification, 'numbers with a fraction');
  return wantsInteger ? formattedInteger(value, specification) : formattedFloat(value, specification);
}

const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

/** Returns the kind of number that the type of the specification formats; '' for `n`, where the value decides. */
function kindOf(specification: Specification): 'integer' | 'float' | '' {
  const { type, grouping } = specification;
  const separators = type in RADIX ? '_' : 'cn'.includes(type) ? '' : ',_';
  if (!/[bcdoxXneEfFgG%]/.test(type) || !separators.includes(grouping)) throw unfit(specification, 'numbers');
  return type === 'n' ? '' : /[bcdoxX]/.test(type) ? 'integer' : 'float';
}

function formattedInteger(value: number, specification: Specification): string {
  const { type, alternate } = specification;
  if (specification.precision !== undefined || specification.positiveZero)
    throw unfit(specification, 'integers');
  if (type === 'c') return formattedCharacter(value, specification);
  const digits = BigInt(Math.abs(value)).toString(RADIX[type] ?? 10);
  const prefix = alternate && type in RADIX ? `0${type}` : '';
  const cased = type === 'X' ? digits.toUpperCase() : digits;
  return laidOut({ prefix, digits: cased, rest: '' }, value < 0, specification);
}

function formattedCharacter(code: number, specification: Specification): string {
  if (specification.sign !== '' || specification.alternate || code < 0 || code > 0x10_ff_ff)
    throw unfit(specification, `the integer ${code}`);
  return laidOut({ digits: '', rest: String.fromCodePoint(code) }, false, specification);
}

function formattedFloat(value: number, specification: Specification): string {
  const { type, alternate, precision } = specification;
  const style: FloatStyle = {
    type: styleType(specification),
    precision: precision ?? 6,
    alternate,
    decimal: type === '',
  };
  const percent = type === '%' ? '%' : '';
  const { digits, rest } = floatNumeral(Math.abs(percent === '' ? value : value * 100), style);
  const numeral = { digits, rest: (/[EFG]/.test(type) ? rest.toUpperCase() : rest) + percent };
  const isZero = specification.positiveZero && !/[1-9inf]/i.test(digits + rest.replace(/e.*/i, ''));
  return laidOut(numeral, value < 0 && !isZero, specification);
}

function styleType({ type, precision }: Specification): FloatStyle['type'] {
  if (type === '') return precision === undefined ? 'repr' : 'g';
  if (/e/i.test(type)) return 'e';
  return /f|%/i.test(type) ? 'f' : 'g';
}

function laidOut(
  { prefix = '', digits, rest }: Numeral & { readonly prefix?: string },
  isNegative: boolean,
  specification: Specification,
): string {
  const align = specification.align || (specification.zeroPadded ? '=' : '>');
  const sign = isNegative ? '-' : specification.sign.replace('-', '');
  const head = sign + prefix;
  const zeros =
    specification.fill === '0' && align === '=' ? specification.width - head.length - rest.length : 0;
  const size = specification.type in RADIX ? 4 : 3;
  return padded([head, grouped(digits, { ...specification, size, zeros }) + rest], specification, align);
}

/** `zeros`: the minimum length. It is reached with leading zeros, which are grouped too. */
function grouped(
  digits: string,
  { grouping, size, zeros }: { readonly grouping: string; readonly size: number; readonly zeros: number },
): string {
  if (digits === '') return '';
  if (grouping === '') return digits.padStart(zeros, '0');
  // the separators count towards the length: one for each group except the first
  const count = zeros - Math.floor((zeros - 1) / (size + 1));
  const filled = digits.padStart(count, '0');
  const first = filled.length % size;
  const groups = first === 0 ? [] : [filled.slice(0, first)];
  for (let at = first; at < filled.length; at += size) groups.push(filled.slice(at, at + size));
  return groups.join(grouping);
}

/** With the alignment `=`, the padding goes between head and body. */
function padded(
  [head, body]: readonly [head: string, body: string],
  specification: Specification,
  align: string,
): string {
  const { fill, width } = specification;
  const missing = Math.max(0, width - Array.from(head + body).length);
  if (align === '=') return head + fill.repeat(missing) + body;
  const before = align === '>' ? missing : align === '^' ? Math.floor(missing / 2) : 0;
  return fill.repeat(before) + head + body + fill.repeat(missing - before);
}
