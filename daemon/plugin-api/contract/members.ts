// The rows of which the contract of an interface type consists.
import type { DriverInterface } from '../interfaces/driver-interface.ts';
import { anything, type Shape } from './shapes.ts';
import type { ShapesOf } from './task.ts';

interface Member<Required extends boolean = boolean, Given extends readonly Shape[] = readonly Shape[]> {
  /** `operation`: a function, which may be async; `value`: not a function. */
  readonly kind: 'operation' | 'value';
  readonly required: Required;
  /** The shapes of an operation's arguments after the task. */
  readonly given: Given;
  /** The shape of the value, or of what the function returns or resolves to. */
  readonly shape: Shape;
  /** For a value that contains functions: the shapes of their results, by name. A function without a shape may return anything. */
  readonly results?: Readonly<Record<string, Shape>>;
}

/** Rows by the name of the member. */
export type Members = Readonly<Record<string, Member>>;

/** The compiler refuses rows that lack a member of I, or an argument of an operation. */
export type All<I> = {
  readonly [K in keyof I]-?: Member<
    Pick<I, K> extends Required<Pick<I, K>> ? true : false,
    NonNullable<I[K]> extends (task: never, ...given: infer Given) => unknown ? ShapesOf<Given> : readonly []
  >;
};
/** The members that an interface type has beyond the common ones. */
export type MembersOf<I> = Omit<All<I>, keyof DriverInterface>;

/** A required operation. */
export const operation = <const Given extends readonly Shape[]>(
  given: Given,
  shape = anything,
): Member<true, Given> => ({
  kind: 'operation',
  required: true,
  given,
  shape,
});
/** A required value. `results`: see Member. */
export const value = (shape: Shape, results?: Member['results']): Member<true, readonly []> => ({
  kind: 'value',
  required: true,
  given: [],
  shape,
  ...(results && { results }),
});
export const optional = <Given extends readonly Shape[]>(
  member: Member<true, Given>,
): Member<false, Given> => ({
  ...member,
  required: false,
});
/** An optional operation that returns nothing. */
export const work = <const Given extends readonly Shape[]>(...given: Given): Member<false, Given> =>
  optional(operation(given));
