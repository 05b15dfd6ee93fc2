// Reads the arguments FIELD=TEXT and FIELD:=JSON of commands that write records.
import { reasonOf } from '../../model/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Field, FieldTable } from '../../model/records/fields.ts';
import { WrongArguments } from '../command.ts';

export interface Assignment {
  /** The field, followed by the keys of nested objects: `driver_info`, `ipmi_address`. */
  readonly path: readonly string[];
  readonly value: Json;
}

/** Text for the usage of commands that take these arguments. */
export const ASSIGNMENTS_HELP = `FIELD is a field of the API, or a key in a field: driver_info/ipmi_address.
FIELD=TEXT sets a text; FIELD:=JSON sets any JSON value, such as properties/cpus:=8 or automated_clean:=false.
`;

/** Reads an argument such as `name=rack1-01` or `extra/rack:=7`. */
export function assignmentIn(argument: string): Assignment {
  const equals = argument.indexOf('=');
  const isJson = argument.charAt(equals - 1) === ':';
  const field = argument.slice(0, Math.max(0, isJson ? equals - 1 : equals));
  const path = assignedPath(field, { argument, expected: 'FIELD=TEXT or FIELD:=JSON, with a field' });
  const text = argument.slice(equals + 1);
  return { path, value: isJson ? jsonIn(text) : text };
}

/** Splits a path such as `driver_info/ipmi_address`. The error shows the whole argument and says what was expected. */
export const assignedPath = (
  text: string,
  { argument, expected } = { argument: text, expected: 'a field' },
): readonly string[] => {
  const path = text.split('/');
  if (path.some((key) => key === ''))
    throw new WrongArguments(
      `${JSON.stringify(argument)}: expected ${expected} such as name or driver_info/ipmi_address`,
    );
  return path;
};

export function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new WrongArguments(`${JSON.stringify(text)} is not JSON: ${reasonOf(error)}`);
  }
}

/** The body of a request that creates a record. */
export const assignedBody = (assignments: readonly Assignment[]): JsonObject =>
  assignments.reduce<JsonObject>((body, { path, value }) => withValue(body, path, value), {});

function withValue(object: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object[key];
  const changed = rest.length === 0 ? value : withValue(isJsonObject(inner) ? inner : {}, rest, value);
  return { ...object, [key]: changed };
}

/** Returns the JSON pointer of a patch; the API accepts no keys that would need an escape. */
export const pointerOf = (path: readonly string[]): string => `/${path.join('/')}`;

/** Returns the operation of a JSON patch for an argument such as `name=rack1-01`. */
export function settingIn(argument: string): JsonObject {
  const { path, value } = assignmentIn(argument);
  return { op: 'add', path: pointerOf(path), value };
}

/** Returns what a shell may offer for the fields that a request may set. */
export const offeredFields = (fields: FieldTable, action: 'create' | 'update'): readonly string[] =>
  Object.entries(fields)
    .filter(([, field]) => field[action] === true)
    .map(([name, field]) => `${name}${takesText(field) ? '=' : ':='}`);

const takesText = ({ schema: { type } }: Field): boolean => [type].flat().includes('string');
