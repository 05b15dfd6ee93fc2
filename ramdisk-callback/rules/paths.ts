// Changes values inside JSON for the actions of rules. Objects are copied, never mutated.
import { sameJson } from '../../daemon/lib/json/same-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { InspectionError } from '#plugin-api';

/** Returns the new value for an old one; undefined stands for a value that is absent. */
export type Change = (value: Json | undefined) => Json | undefined;

/** Splits `/a/b`, `a/b` or `a.b` into names. If there is a slash, dots are part of the names. */
export function attributePath(path: string): readonly string[] {
  if (!path.includes('/')) return path.split('.');
  const names = path.split('/');
  return names.slice(names.findIndex(Boolean), names.findLastIndex(Boolean) + 1);
}

export const existsAt = (object: JsonObject, path: readonly string[]): boolean =>
  path.reduce<Json | undefined>(
    (here, key) => (isJsonObject(here) && Object.hasOwn(here, key) ? here[key] : undefined),
    object,
  ) !== undefined;

/** Returns a copy of `object` with `change` applied at `path`. Missing objects along the path are created if needed. */
export function changedAt(object: JsonObject, path: readonly string[], change: Change): JsonObject {
  const [key = '', ...rest] = path;
  const here = Object.hasOwn(object, key) ? object[key] : undefined;
  const value = rest.length === 0 ? change(here) : changedBelow(key, here, rest, change);
  const { [key]: _, ...others } = object;
  return value === undefined ? others : { ...others, [key]: value };
}

function changedBelow(
  key: string,
  here: Json | undefined,
  rest: readonly string[],
  change: Change,
): Json | undefined {
  if (here !== undefined && here !== null && !isJsonObject(here)) {
    throw new InspectionError(`path: ${key} is not an object, so it has no ${rest.join('.')}`);
  }
  const changed = changedAt(here ?? {}, rest, change);
  // removing a missing value must not create the objects along its path
  return here === undefined && Object.keys(changed).length === 0 ? undefined : changed;
}

export const set =
  (value: Json): Change =>
  () =>
    value;

export const removeAt: Change = () => undefined;

/** Appends to a list, or creates one. `unique`: only if the list does not contain the value. */
export const extend =
  (value: Json, unique: boolean): Change =>
  (list = []) => {
    if (!Array.isArray(list))
      throw new InspectionError(`${JSON.stringify(list)?.slice(0, 80)} is not a list`);
    const known = unique && list.some((one: Json) => sameJson(one, value));
    return known ? (list as readonly Json[]) : [...(list as readonly Json[]), value];
  };
