// Named arguments of endpoints: their declaration, types and checks.
import { fault } from '../model/faults.ts';
import { shownValue } from '../model/secrets.ts';
import type { Schema } from '../lib/json/typed-schema.ts';
import { parseFlag, parseInteger, refuseOtherValues } from './parameters.ts';
import { objectSchema, orNull, versioned } from './schema-parts.ts';

export type ArgumentKind = 'text' | 'flag' | 'integer' | 'list' | 'any';
export interface Argument {
  readonly kind: ArgumentKind;
  readonly required?: true;
  /** The values that a text may have. */
  readonly values?: readonly string[];
  /** The maximum length of a text in characters. */
  readonly maximumLength?: number;
  /** Minor of the API version that introduced it; older requests get `tooOld` (406 unless said otherwise). */
  readonly since?: number;
  readonly tooOld?: 400 | 406;
  /** The endpoint itself checks values and version, in its own order. */
  readonly judgedLater?: true;
}
export type Arguments = Readonly<Record<string, Argument>>;

interface Kinds {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  readonly list: readonly unknown[];
  readonly any: unknown;
}
type Plain<A extends Argument> = A extends { judgedLater: true }
  ? Kinds[A['kind']]
  : A extends { values: readonly (infer V)[] }
    ? V
    : Kinds[A['kind']];
type Value<A extends Argument> = A extends { required: true } ? Plain<A> : Plain<A> | null;
type Required<A extends Arguments> = {
  [K in keyof A as A[K] extends { required: true } ? K : never]: Value<A[K]>;
};
type Optional<A extends Arguments> = {
  [K in keyof A as A[K] extends { required: true } ? never : K]?: Value<A[K]>;
};

export type Taken<A extends Arguments> = Readonly<Required<A> & Optional<A>>;

/**
 * Returns the checked arguments; optional ones may be null. Throws UnexpectedArguments, MissingParameter, VersionTooOld
 * or InvalidParameter.
 */
export function takeArguments<A extends Arguments>(
  given: Readonly<Record<string, unknown>>,
  declared: A,
  minor: number,
): Taken<A> {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw fault('UnexpectedArguments', { names: unknown.join(', ') });
  const taken = Object.entries(declared)
    .filter(([name, argument]) => isGiven(name, argument, given[name]))
    .map(([name, argument]) => [
      name,
      given[name] === null ? null : checked(name, argument, given[name], minor),
    ]);
  return Object.fromEntries(taken) as Taken<A>;
}

/** Returns the JSON Schema of a request body with these arguments. */
export function argumentsSchema(declared: Arguments): Schema {
  const named = Object.entries(declared);
  return objectSchema(
    Object.fromEntries(named.map(([name, argument]) => [name, argumentSchema(argument)])),
    named.filter(([, { required }]) => required === true).map(([name]) => name),
  );
}

const TYPES: Readonly<Record<ArgumentKind, object>> = {
  text: { type: 'string' },
  flag: { type: 'boolean' },
  integer: { type: 'integer' },
  list: { type: 'array' },
  any: {},
};

function argumentSchema({ kind, required, values, maximumLength, since = 1 }: Argument): Schema {
  const schema = {
    ...TYPES[kind],
    ...(values !== undefined && { enum: values }),
    ...(maximumLength !== undefined && { maxLength: maximumLength }),
  };
  return versioned(since, required === true || kind === 'any' ? schema : orNull(schema));
}

function isGiven(name: string, argument: Argument, value: unknown): boolean {
  if (argument.required !== true) return value !== undefined;
  if (value === undefined) throw fault('MissingParameter', { name });
  if (value === null) throw fault('InvalidParameter', { name, reason: 'it may not be null' });
  return true;
}

const wrong = (name: string, value: unknown, expected: string) =>
  fault('InvalidParameter', { name, reason: `${shownValue(name, value)} is not ${expected}` });

function checked(name: string, argument: Argument, given: unknown, minor: number): unknown {
  const { kind, values, since = 1, tooOld = 406, judgedLater } = argument;
  const tooNew = judgedLater !== true && since > minor;
  if (tooNew && tooOld === 400) throw fault('UnexpectedArguments', { names: name });
  if (tooNew) throw fault('VersionTooOld', { since });
  const value = typed(name, kind, given);
  if (typeof value === 'string') refuseTooLong(name, value, argument.maximumLength);
  if (values !== undefined && judgedLater !== true) refuseOtherValues(name, value, values);
  return value;
}

function refuseTooLong(name: string, { length }: string, maximum = Infinity): void {
  if (length <= maximum) return;
  throw fault('InvalidParameter', {
    name,
    reason: `it has ${length} characters, and at most ${maximum} are accepted`,
  });
}

function typed(name: string, kind: ArgumentKind, value: unknown): unknown {
  if (kind === 'flag') return parseFlag(name, value);
  if (kind === 'integer') return parseInteger(name, value);
  if (kind === 'text' && typeof value !== 'string') throw wrong(name, value, 'a string');
  if (kind === 'list' && !Array.isArray(value)) throw wrong(name, value, 'a list');
  return value;
}
