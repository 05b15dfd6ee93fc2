// Root device hints select one of a machine's disks. Operators and comparisons are exactly those of Ironic and its ramdisk,
// oddities included, because daemon and ramdisk must choose the same disk.
import { booleanOf } from '../../lib/words.ts';
import { fault } from '../faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Returns whether a disk, as described by the ramdisk, matches. */
export type DiskTest = (disk: JsonObject) => boolean;

const textHints = [
  'model',
  'vendor',
  'serial',
  'wwn',
  'wwn_with_extension',
  'wwn_vendor_extension',
  'name',
  'hctl',
  'by_path',
];
const hintNames = ['size', 'rotational', ...textHints];

/**
 * Returns a test for disks that match all `hints`. `property` is the path of the hints for messages, such as
 * `properties/root_device`. Throws InvalidParameter for invalid hints.
 */
export function diskTest(property: string, hints: Json): DiskTest {
  const entries = isJsonObject(hints) ? Object.entries(hints) : [];
  if (entries.length === 0)
    throw invalid(property, `expected an object of hints, received ${JSON.stringify(hints)}`);
  const tests = entries.map(([name, hint]) => hintTest(`${property}/${name}`, name, hint));
  return (disk) => tests.every((test) => test(disk));
}

const invalid = (name: string, reason: string) => fault('InvalidParameter', { name, reason });
const expected = (name: string, hint: Json, what: string) =>
  invalid(name, `expected ${what}, received ${JSON.stringify(hint)}`);

function hintTest(path: string, name: string, hint: Json): DiskTest {
  if (name === 'size') return sizeTest(path, hint);
  if (name === 'rotational') return rotationalTest(path, hint);
  if (!textHints.includes(name)) throw invalid(path, `there is no such hint. Known: ${hintNames.join(', ')}`);
  const test = textTest(path, hint);
  return ({ [name]: value = null }) =>
    Array.isArray(value)
      ? (value as readonly Json[]).some((one) => one !== null && test(textOf(one)))
      : test(textOf(value));
}

interface Expression {
  /** Empty if the hint has no operator. */
  readonly operator: string;
  readonly operands: readonly [string, ...string[]];
}

const OPERATOR = /^(<or>|<all-in>|<range-in>|<in>|==|=|!=|>=|<=|>|<|s==|s!=|s<=|s<|s>=|s>)\s*(.*)$/s;

/** Returns undefined if the text is empty, or if its operator is followed by nothing or by another operator. */
function parseExpression(text: string): Expression | undefined {
  const expression = text.trim().toLowerCase();
  const [, operator = '', rest = expression] = OPERATOR.exec(expression) ?? [];
  if (rest === '' || (operator !== '' && OPERATOR.test(rest))) return undefined;
  if (operator === '') return { operator, operands: [expression] };
  const [first = '', ...more] = expression
    .split(operator)
    .map((operand) => operand.trim())
    .filter((operand) => operand !== '');
  return { operator, operands: [first, ...more] };
}

type Comparison<T> = (value: T, operand: T) => boolean;
const isGreater = <T>(value: T, operand: T) => value > operand;
const isLess = <T>(value: T, operand: T) => value < operand;
const isAtLeast = <T>(value: T, operand: T) => value >= operand;
const isAtMost = <T>(value: T, operand: T) => value <= operand;
const isEqual = <T>(value: T, operand: T) => value === operand;
const differs = <T>(value: T, operand: T) => value !== operand;

const numberComparisons = new Map<string, Comparison<number>>([
  // means "at least" in Ironic, for historical reasons
  ['=', isAtLeast],
  ['==', isEqual],
  ['!=', differs],
  ['>', isGreater],
  ['>=', isAtLeast],
  ['<', isLess],
  ['<=', isAtMost],
]);

const textComparisons = new Map<string, Comparison<string>>([
  ['', isEqual],
  ['s==', isEqual],
  ['s!=', differs],
  ['s>', isGreater],
  ['s>=', isAtLeast],
  ['s<', isLess],
  ['s<=', isAtMost],
  ['<in>', (value, operand) => value.includes(operand)],
]);

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/;

function textTest(path: string, hint: Json): (value: string) => boolean {
  const expression = typeof hint === 'string' ? parseExpression(hint) : undefined;
  if (expression === undefined)
    throw expected(path, hint, 'text, or one of s== s!= s> s>= s< s<= <in> <or> with text after it');
  const { operator } = expression;
  const operands = new Set(expression.operands.map(quoted));
  const test = operator === '<or>' ? (value: string) => operands.has(value) : comparing(expression);
  if (test === undefined) {
    throw expected(path, hint, `an operator for text, which ${operator} is not; s== and s!= compare text`);
  }
  return (value) => value !== '' && test(value);
}

function comparing({ operator, operands: [first] }: Expression): ((value: string) => boolean) | undefined {
  const compareText = textComparisons.get(operator);
  if (compareText !== undefined) return (value) => compareText(value, quoted(first));
  const compareNumbers = numberComparisons.get(operator);
  if (compareNumbers === undefined || !NUMBER.test(first)) return undefined;
  return (value) => NUMBER.test(value) && compareNumbers(Number(value), Number(first));
}

/** Returns the form that is compared: trimmed, in lower case, percent-encoded. Null becomes "none", so that `s!=` matches it. */
const textOf = (value: Json) =>
  quoted(
    (typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value))
      .trim()
      .toLowerCase(),
  );

/** Percent-encodes all characters except letters, digits and _.-~/ */
const quoted = (text: string) =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');

const GIB = 2 ** 30;
const SIZE = 'a number of GiB, one of = == != > >= < <= before such a number, or <range-in> [ 100 200 ]';

function sizeTest(path: string, hint: Json): DiskTest {
  const isText = typeof hint === 'string' || typeof hint === 'number';
  const expression = isText ? parseExpression(String(hint)) : undefined;
  const test = expression && (expression.operator === '<range-in>' ? rangeTest : gibibyteTest)(expression);
  if (test === undefined) throw expected(path, hint, SIZE);
  return ({ size }) => typeof size === 'number' && test(size / GIB);
}

function gibibyteTest({ operator, operands }: Expression): ((gibibytes: number) => boolean) | undefined {
  if (!operands.every((operand) => /^\+?\d+$/.test(operand) && Number(operand) > 0)) return undefined;
  // Ironic compares a text with a number here, so nothing ever matches
  if (operator === '<or>') return () => false;
  const compare = numberComparisons.get(operator === '' ? '==' : operator);
  return compare && ((gibibytes) => compare(gibibytes, Number(operands[0])));
}

function rangeTest({ operands: [range] }: Expression): ((gibibytes: number) => boolean) | undefined {
  const [, opening, low = '', high = '', closing] = /^([[(])\s+(\S+)\s+(\S+)\s+([\])])$/.exec(range) ?? [];
  const isRange = NUMBER.test(low) && NUMBER.test(high) && Number(low) <= Number(high);
  if (!isRange) return undefined;
  const above = opening === '[' ? isAtLeast : isGreater;
  const below = closing === ']' ? isAtMost : isLess;
  return (gibibytes) => above(gibibytes, Number(low)) && below(gibibytes, Number(high));
}

function rotationalTest(path: string, hint: Json): DiskTest {
  const wanted = truth(hint);
  if (wanted === undefined) throw expected(path, hint, 'true or false');
  return ({ rotational = null }) => truth(rotational) === wanted;
}

const truth = (value: Json): boolean | undefined =>
  booleanOf(typeof value === 'string' ? value.trim() : JSON.stringify(value));
