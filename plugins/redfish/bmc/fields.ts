// Reads the fields of resources. BMCs leave fields out, set them to null, or fill them with other types.
import { isJsonObject, type Json, type JsonObject } from '#plugin-api';

type Field = Json | undefined;

/** Returns undefined unless the value is a text with more than white space. */
export const textIn = (value: Field): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Returns the number, or the number in a text; undefined when there is none. */
export function numberIn(value: Field): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Like `numberIn`, without the part behind the point. */
export function wholeIn(value: Field): number | undefined {
  const number = numberIn(value);
  return number === undefined ? undefined : Math.floor(number);
}

/** Returns an empty object unless the value is an object. */
export const objectIn = (value: Field): JsonObject => (isJsonObject(value) ? value : {});

/** The path that a link leads to. */
export const pathIn = (value: Field): string | undefined => textIn(objectIn(value)['@odata.id']);

export const pathsIn = (value: Field): readonly string[] =>
  objectsIn(value).flatMap((each) => pathIn(each) ?? []);

export const objectsIn = (value: Field): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];

export const stringsIn = (value: Field): readonly string[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter((each) => typeof each === 'string') : [];

/** The action with a name such as `#VirtualMedia.InsertMedia`; an empty object when the resource does not have the action. */
export const actionIn = (resource: JsonObject, name: string): JsonObject =>
  objectIn(objectIn(resource['Actions'])[name]);

/** The path to which an action is posted; undefined when the resource does not have the action. */
export const targetIn = (resource: JsonObject, name: string): string | undefined =>
  textIn(actionIn(resource, name)['target']);
