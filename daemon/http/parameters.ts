// The parameters of requests: their declaration, and the checks of parameters in a query or in a body.
import type { Schema } from '../lib/json/typed-schema.ts';
import { fault } from '../model/faults.ts';
import { isList, type KindValues, parameterKinds } from './parameter-kinds.ts';
import { objectSchema, orNull, versioned } from './schema-parts.ts';

export interface Parameter {
  readonly kind: keyof KindValues;
  readonly required?: true;
  /** The values that a text, or each item of a list, may have. */
  readonly values?: readonly string[];
  /** The maximum length of a text in characters. */
  readonly maximumLength?: number;
  /**
   * The minor API version that introduced the parameter. A request of an older version that sends the parameter gets status
   * `tooOld` (406 unless given).
   */
  readonly since?: number;
  readonly tooOld?: 400 | 406;
  /** Set if the handler itself checks value and version, in its own order. */
  readonly judgedLater?: true;
}
export type Parameters = Readonly<Record<string, Parameter>>;

type Value<P extends Parameter> = P extends { judgedLater: true }
  ? KindValues[P['kind']]
  : P extends { kind: 'list'; values: readonly (infer V)[] }
    ? readonly V[]
    : P extends { values: readonly (infer V)[] }
      ? V
      : KindValues[P['kind']];

/** The parameters of a query. */
export type Parsed<P extends Parameters> = { readonly [K in keyof P]?: Value<P[K]> };

/** The parameters of a body, in which those that are not required may be null. */
export type Taken<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends { required: true } ? K : never]: Value<P[K]>;
} & {
  readonly [K in keyof P as P[K] extends { required: true } ? never : K]?: Value<P[K]> | null;
};

/** Throws UnexpectedArguments, VersionTooOld, InvalidParameter, InvalidUuid or InvalidMac. */
export function parseQuery<P extends Parameters>(
  query: URLSearchParams,
  declared: P,
  minor: number,
): Parsed<P> {
  const given = [...Map.groupBy(query, ([name]) => name)].map(([name, pairs]) => [
    name,
    sentText(
      pairs.map(([, text]) => text),
      declared[name],
    ),
  ]);
  const taken = Object.entries(takeParameters(Object.fromEntries(given), declared, minor));
  // an empty `fields` selects no fields; any other empty list does not filter
  const filtering = taken.filter(
    ([name, value]) => name === 'fields' || !Array.isArray(value) || value.length > 0,
  );
  return Object.fromEntries(filtering) as Parsed<P>;
}

const REPEATED = Symbol('given more than once');

const sentText = (texts: readonly string[], parameter: Parameter | undefined): unknown =>
  texts.length > 1 && !isList(parameter?.kind ?? 'any') ? REPEATED : texts.join(',');

/** Throws UnexpectedArguments, MissingParameter, VersionTooOld, InvalidParameter, InvalidUuid or InvalidMac. */
export function takeParameters<P extends Parameters>(
  given: Readonly<Record<string, unknown>>,
  declared: P,
  minor: number,
): Taken<P> {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw fault('UnexpectedArguments', { names: unknown.join(', ') });
  const taken = Object.entries(declared)
    .filter(([name, parameter]) => isGiven(name, parameter, given[name]))
    .map(([name, parameter]) => [
      name,
      given[name] === null ? null : checked(name, parameter, given[name], minor),
    ]);
  return Object.fromEntries(taken) as Taken<P>;
}

function isGiven(name: string, { required }: Parameter, value: unknown): boolean {
  if (required !== true) return value !== undefined;
  if (value === undefined) throw fault('MissingParameter', { name });
  if (value === null) throw fault('InvalidParameter', { name, reason: 'it must not be null' });
  return true;
}

function checked(name: string, parameter: Parameter, given: unknown, minor: number): unknown {
  const { kind, values, maximumLength, judgedLater } = parameter;
  if (judgedLater !== true) refuseTooNew(name, parameter, minor);
  if (given === REPEATED) throw fault('InvalidParameter', { name, reason: 'it is given more than once' });
  const value = parameterKinds[kind].convert(name, given);
  if (typeof value === 'string') refuseTooLong(name, value, maximumLength);
  if (values !== undefined && judgedLater !== true) refuseOtherValues(name, value, values);
  return value;
}

function refuseTooNew(name: string, { since = 1, tooOld = 406 }: Parameter, minor: number): void {
  if (minor >= since) return;
  throw tooOld === 406 ? fault('VersionTooOld', { since }) : fault('UnexpectedArguments', { names: name });
}

function refuseTooLong(name: string, { length }: string, maximum = Infinity): void {
  if (length <= maximum) return;
  throw fault('InvalidParameter', {
    name,
    reason: `it has ${length} characters, and at most ${maximum} are accepted`,
  });
}

function refuseOtherValues(name: string, given: unknown, allowed: readonly string[]): void {
  const other = [given]
    .flat()
    .map(String)
    .find((text) => !allowed.includes(text));
  if (other === undefined) return;
  throw fault('InvalidParameter', { name, reason: `${other} is not one of ${allowed.join(', ')}` });
}

/** Returns the JSON Schema of the value. */
export function parameterSchema({ kind, values, maximumLength }: Parameter): Schema {
  const { schema } = parameterKinds[kind];
  const limits = {
    ...(values !== undefined && { enum: values }),
    ...(maximumLength !== undefined && { maxLength: maximumLength }),
  };
  return isList(kind)
    ? { ...schema, items: { ...(schema['items'] as Schema), ...limits } }
    : { ...schema, ...limits };
}

/** Returns the JSON Schema of a body with these parameters. */
export function parametersSchema(declared: Parameters): Schema {
  const properties = Object.entries(declared).map(([name, parameter]) => {
    const { kind, required, since = 1 } = parameter;
    const schema = parameterSchema(parameter);
    return [name, versioned(since, required === true || kind === 'any' ? schema : orNull(schema))];
  });
  const required = Object.keys(declared).filter((name) => declared[name]?.required === true);
  return objectSchema(Object.fromEntries(properties), required);
}
