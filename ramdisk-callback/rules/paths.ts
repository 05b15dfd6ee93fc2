// Places in JSON that actions of rules write to. Copies on the way, so that what a ramdisk sent stays as it was.
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { InspectionError } from '#plugin-api';

/** What becomes of the value at a place; undefined: nothing is there. */
export type Change = (value: Json | undefined) => Json | undefined;

/** `/a/b`, `a/b` or `a.b`; where there is a slash, dots belong to the names. */
export function attributePath(path: string): readonly string[] {
  if (!path.includes('/')) return path.split('.');
  const names = path.split('/');
  return names.slice(names.findIndex(Boolean), names.findLastIndex(Boolean) + 1);
}

export const isThere = (object: JsonObject, path: readonly string[]): boolean =>
  path.reduce<Json | undefined>(
    (here, key) => (isJsonObject(here) && Object.hasOwn(here, key) ? here[key] : undefined),
    object,
  ) !== undefined;

/** `object` with `change` applied at `path`; objects on the way are made when there is something to put there. */
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
  // nothing is made on the way to what was only to be removed
  return here === undefined && Object.keys(changed).length === 0 ? undefined : changed;
}

export const set =
  (value: Json): Change =>
  () =>
    value;

export const remove: Change = () => undefined;

/** Appends to the list at the place, or begins one. */
export const extend =
  (value: Json, unique: boolean): Change =>
  (list = []) => {
    if (!Array.isArray(list))
      throw new InspectionError(`${JSON.stringify(list)?.slice(0, 80)} is not a list`);
    const known = unique && list.some((one: Json) => JSON.stringify(one) === JSON.stringify(value));
    return known ? (list as readonly Json[]) : [...(list as readonly Json[]), value];
  };
