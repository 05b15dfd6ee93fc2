// The object of an entry point as data: its values, and where its functions are.
import { reasonOf } from '../../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { json } from '../../../plugin-api/contract/shapes.ts';

/** The names that lead from the object to a member, outermost first. */
export type Place = readonly string[];
type AnyFunction = (...given: readonly unknown[]) => unknown;

/** Deep enough for `steps.NAME.poll.check` of an interface of a classic driver. */
const DEEPEST_FUNCTION = 5;
const MOST_FUNCTIONS = 2000;

/**
 * Throws an Error for members that are neither JSON nor functions. In lists, and deeper than `DEEPEST_FUNCTION`, everything must be
 * JSON; elsewhere a number that JSON lacks becomes null.
 */
export function described(value: object): JsonObject {
  const own: Place[] = [];
  const inherited: Place[] = [];
  const walk = (member: unknown, place: Place): unknown => {
    if (typeof member === 'number' && !Number.isFinite(member)) return null;
    if (typeof member === 'function') own.push(place);
    if (typeof member === 'function') return undefined;
    if (typeof member !== 'object' || member === null || place.length >= DEEPEST_FUNCTION) return member;
    if (Array.isArray(member)) return member as unknown;
    for (const name of methodsOfClass(member)) inherited.push([...place, name]);
    return Object.fromEntries(
      Object.entries(member).map(([name, inner]) => [name, walk(inner, [...place, name])]),
    );
  };
  const values = walked(() => walk(value, []));
  if (!json.admits(values)) throw new Error(`it has members that are neither functions nor ${json.expected}`);
  return { values: values as JsonObject, own, inherited };
}

function walked(walk: () => unknown): unknown {
  try {
    return walk();
  } catch (error) {
    throw new Error(`it has a member that throws when it is read: ${reasonOf(error)}`, { cause: error });
  }
}

/** The names of the methods that an object has from its class, without the methods that every object has. */
function methodsOfClass(object: object): readonly string[] {
  const names = new Set<string>();
  let prototype: unknown = Object.getPrototypeOf(object);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  const members = object as Readonly<Record<string, unknown>>;
  return [...names].filter((name) => name !== 'constructor' && typeof members[name] === 'function');
}

/**
 * Returns an object with the described values, and what `stub` returns for each function. Throws an Error when `description` is
 * not what `described` returns.
 */
export function rebuilt(description: unknown, stub: (place: Place) => AnyFunction): object {
  const { values, own, inherited } = isJsonObject(description) ? description : {};
  if (!isJsonObject(values) || !arePlaces(own) || !arePlaces(inherited) || !json.admits(values))
    throw new Error('the process of the plugin sent no description of an object');
  const define = (place: Place, enumerable: boolean) => {
    const owner = memberAt(values, place.slice(0, -1));
    if (!isJsonObject(owner))
      throw new Error(
        `the process of the plugin described the function ${place.join('.')}, but not the object that has it`,
      );
    Object.defineProperty(owner, place.at(-1) ?? '', { value: stub(place), enumerable });
  };
  for (const place of inherited) define(place, false);
  for (const place of own) define(place, true);
  return values;
}

const arePlaces = (value: unknown): value is readonly Place[] =>
  Array.isArray(value) &&
  value.length <= MOST_FUNCTIONS &&
  value.every((place) => isPlace(place) && place.length > 0 && place.length <= DEEPEST_FUNCTION);

export const isPlace = (value: unknown): value is Place =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

/** Reads only members of the objects themselves, not of their prototypes. */
export function memberAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>(
    (owner, name) =>
      typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name)
        ? (owner as Readonly<Record<string, unknown>>)[name]
        : undefined,
    value,
  );
}
