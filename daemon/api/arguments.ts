// Endpoints that take named arguments: which there are, and their types.
import { fault } from '../model/faults.ts';
import { shownValue } from '../model/secrets.ts';
import { parseFlag, parseInteger } from './parameters.ts';

export type ArgumentKind = 'text' | 'flag' | 'integer' | 'object' | 'list' | 'any';
export interface Argument {
  readonly kind: ArgumentKind;
  readonly required?: true;
}
export type Arguments = Readonly<Record<string, Argument>>;

interface Kinds {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  readonly object: object;
  readonly list: readonly unknown[];
  readonly any: unknown;
}
type Value<A extends Argument> = A extends { required: true } ? Kinds[A['kind']] : Kinds[A['kind']] | null;
type Required<A extends Arguments> = {
  [K in keyof A as A[K] extends { required: true } ? K : never]: Value<A[K]>;
};
type Optional<A extends Arguments> = {
  [K in keyof A as A[K] extends { required: true } ? never : K]?: Value<A[K]>;
};

/** Throws UnexpectedArguments, MissingParameter or InvalidParameter. An optional argument may be null. */
export function takeArguments<const A extends Arguments>(
  body: unknown,
  declared: A,
): Required<A> & Optional<A> {
  const given = body as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw fault('UnexpectedArguments', { names: unknown.join(', ') });
  const taken = Object.entries(declared)
    .filter(([name, argument]) => isGiven(name, argument, given[name]))
    .map(([name, { kind }]) => [name, given[name] === null ? null : typed(name, kind, given[name])]);
  return Object.fromEntries(taken) as Required<A> & Optional<A>;
}

function isGiven(name: string, argument: Argument, value: unknown): boolean {
  if (argument.required !== true) return value !== undefined;
  if (value === undefined) throw fault('MissingParameter', { name });
  if (value === null) throw fault('InvalidParameter', { name, reason: 'it may not be null' });
  return true;
}

const wrong = (name: string, value: unknown, expected: string) =>
  fault('InvalidParameter', { name, reason: `${shownValue(name, value)} is not ${expected}` });

function typed(name: string, kind: ArgumentKind, value: unknown): unknown {
  if (kind === 'flag') return parseFlag(name, value);
  if (kind === 'integer') return parseInteger(name, value);
  if (kind === 'text' && typeof value !== 'string') throw wrong(name, value, 'a string');
  if (kind === 'list' && !Array.isArray(value)) throw wrong(name, value, 'a list');
  if (kind === 'object' && (typeof value !== 'object' || Array.isArray(value)))
    throw wrong(name, value, 'an object');
  return value;
}
