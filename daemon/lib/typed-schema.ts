// JSON Schema that knows the TypeScript type of what it admits: one fact for validation, documentation and types.

declare const admitted: unique symbol;

/** A JSON Schema; the type parameter exists for the compiler alone. */
export interface Schema<T = unknown> {
  readonly [admitted]?: T;
  readonly [keyword: string]: unknown;
}

/** The type of the values that a schema admits. */
export type Admitted<S> = S extends Schema<infer T> ? T : never;

/** `keywords` as the schema of values of type T, which is for the caller to get right. */
export const typed = <T>(keywords: object): Schema<T> => ({ ...keywords });
