// Query parameters: refuses unknown ones, checks and converts known ones.
import { parseMac } from '../lib/mac.ts';
import { parseUuid } from '../lib/uuid.ts';
import { booleanOf } from '../lib/words.ts';
import { fault } from '../model/faults.ts';
import type { Parameter, Parameters, Parsed } from './route.ts';

/** Throws UnexpectedArguments, VersionTooOld, InvalidParameter, InvalidUuid or InvalidMac. */
export function parseQuery<P extends Parameters>(
  query: URLSearchParams,
  declared: P,
  minor: number,
): Parsed<P> {
  const unknown = [...new Set(query.keys())].filter((name) => !Object.hasOwn(declared, name));
  if (unknown.length > 0) throw fault('UnexpectedArguments', { names: unknown.join(', ') });
  const parsed: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(declared)) {
    const values = query.getAll(name);
    if (values.length === 0) continue;
    refuseTooNew(name, parameter, minor);
    if (values.length > 1 && parameter.kind !== 'list') {
      throw fault('InvalidParameter', { name, reason: 'it is given more than once' });
    }
    const value = convert(name, parameter.kind, values);
    // an empty `fields` selects no fields; any other empty list does not filter
    if (Array.isArray(value) && value.length === 0 && name !== 'fields') continue;
    if (parameter.values !== undefined) refuseOtherValues(name, value, parameter.values);
    parsed[name] = value;
  }
  return parsed as Parsed<P>;
}

/** Throws InvalidParameter unless the text, or each of a list of texts, is one of `allowed`. */
export function refuseOtherValues(name: string, given: unknown, allowed: readonly string[]): void {
  const texts = [given].flat().map(String);
  const other = texts.find((text) => !allowed.includes(text));
  if (other === undefined) return;
  throw fault('InvalidParameter', { name, reason: `${other} is not one of ${allowed.join(', ')}` });
}

function refuseTooNew(name: string, { since = 1, tooOld = 406 }: Parameter, minor: number): void {
  if (minor >= since) return;
  throw tooOld === 406 ? fault('VersionTooOld', { since }) : fault('UnexpectedArguments', { names: name });
}

function convert(name: string, kind: Parameter['kind'], values: readonly string[]): unknown {
  return converters[kind](name, values[0] ?? '', values);
}

const converters: Readonly<
  Record<Parameter['kind'], (name: string, value: string, values: readonly string[]) => unknown>
> = {
  text: (_, value) => value,
  list: (_, __, values) => parseList(values),
  flag: parseFlag,
  integer: parseInteger,
  uuid: (_, value) => parseUuidOrThrow(value),
  mac: (_, value) => parseMacOrThrow(value),
};

function parseList(values: readonly string[]): readonly string[] {
  return [
    ...new Set(
      values
        .flatMap((value) => value.split(','))
        .map((item) => item.trim().toLowerCase())
        .filter((item) => item !== ''),
    ),
  ];
}

export function parseFlag(name: string, value: unknown): boolean {
  const flag = typeof value === 'object' ? undefined : booleanOf(String(value));
  if (flag === undefined)
    throw fault('InvalidParameter', { name, reason: `${JSON.stringify(value)} is not a boolean` });
  return flag;
}

export function parseInteger(name: string, value: unknown): number {
  const number =
    typeof value === 'number' ? value : Number(/^-?\d{1,15}$/.test(String(value)) ? value : Number.NaN);
  if (!Number.isSafeInteger(number)) {
    throw fault('InvalidParameter', {
      name,
      reason: `Expected an integer but received ${JSON.stringify(value)}`,
    });
  }
  return number;
}

export function parseUuidOrThrow(value: string): string {
  const uuid = parseUuid(value);
  if (uuid === undefined) throw fault('InvalidUuid', { value });
  return uuid;
}

export function parseMacOrThrow(value: string): string {
  const mac = parseMac(value);
  if (mac === undefined) throw fault('InvalidMac', { value });
  return mac;
}
