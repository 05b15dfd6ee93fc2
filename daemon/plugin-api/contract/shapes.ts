// Checks the values that plugins return or pass, for type and size. Only a getter of the value can make a check throw.
import { isJsonObject } from '../../model/json.ts';

export interface Shape {
  /** A description for messages. */
  readonly expected: string;
  readonly admits: (value: unknown) => boolean;
  /** A value that fits, for rehearsals. */
  readonly sample: unknown;
}

const LONGEST_TEXT = 65_536;
const LONGEST_LIST = 10_000;
/** The limit for the size of a JSON value: about one for each value at any depth, plus the characters of its strings and names. */
const LARGEST_JSON = 1_000_000;

/** The same shape with another sample. */
export const like = (sample: unknown, shape: Shape): Shape => ({ ...shape, sample });

export const anything: Shape = { expected: 'anything', admits: () => true, sample: undefined };
export const flag: Shape = {
  expected: 'true or false',
  admits: (value) => typeof value === 'boolean',
  sample: true,
};
export const number: Shape = { expected: 'a finite number', admits: Number.isFinite, sample: 1 };
export const text: Shape = {
  expected: `a string of at most ${LONGEST_TEXT} characters`,
  admits: (value) => typeof value === 'string' && value.length <= LONGEST_TEXT,
  sample: 'example',
};

/** The shape, or null. */
export const orNull = ({ expected, admits, sample }: Shape): Shape => ({
  expected: `${expected}, or null`,
  admits: (value) => value === null || admits(value),
  sample,
});

/** The shape, or undefined. */
export const orNothing = ({ expected, admits, sample }: Shape): Shape => ({
  expected: `${expected}, or nothing`,
  admits: (value) => value === undefined || admits(value),
  sample,
});

export const either = (one: Shape, other: Shape): Shape => ({
  expected: `${one.expected}; or ${other.expected}`,
  admits: (value) => one.admits(value) || other.admits(value),
  sample: one.sample,
});

export function oneOf(...values: readonly (string | boolean | null)[]): Shape {
  return {
    expected: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    admits: (value) => values.some((one) => one === value),
    sample: values[0],
  };
}

export function listOf(item: Shape): Shape {
  return {
    expected: `a list of at most ${LONGEST_LIST} items, each ${item.expected}`,
    admits: (value) =>
      Array.isArray(value) && value.length <= LONGEST_LIST && value.every((one) => item.admits(one)),
    sample: [item.sample],
  };
}

/** The shape of an object with these members. Other members are allowed if the whole object is JSON and not too large. */
export function object(members: Readonly<Record<string, Shape>>): Shape {
  const all = Object.entries(members);
  return {
    expected: `an object with ${all.map(([name, shape]) => `${name} (${shape.expected})`).join(', ')}`,
    admits: (value) =>
      isJsonObject(value) && all.every(([name, shape]) => shape.admits(value[name])) && json.admits(value),
    sample: Object.fromEntries(all.map(([name, { sample }]) => [name, sample])),
  };
}

export const json: Shape = {
  expected: `JSON of at most ${LARGEST_JSON} values and characters`,
  admits: (value) => sizeOf(value, LARGEST_JSON, []) <= LARGEST_JSON,
  sample: {},
};

export const jsonObject: Shape = {
  expected: `an object, ${json.expected}`,
  admits: (value) => isJsonObject(value) && json.admits(value),
  sample: {},
};

/**
 * Returns the size of a JSON value; Infinity for a value that is not JSON, contains itself or is nested too deeply, and for a list
 * or object larger than `limit`.
 */
function sizeOf(value: unknown, limit: number, around: readonly unknown[]): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'number') return Number.isFinite(value) ? 1 : Infinity;
  if (value === null || value === undefined || typeof value === 'boolean') return 1;
  const isTree = typeof value === 'object' && around.length <= 100 && !around.includes(value);
  return isTree ? treeSize(value, limit, [...around, value]) : Infinity;
}

function treeSize(tree: object, limit: number, around: readonly unknown[]): number {
  let size = 1;
  for (const name in tree) {
    size += name.length + sizeOf((tree as Record<string, unknown>)[name], limit - size, around);
    if (size > limit) return Infinity;
  }
  return size;
}

/** Describes a value in a few words. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (Array.isArray(value)) return `a list of length ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'nothing'}`;
  return typeof value === 'function' ? 'a function' : String(value);
}
