// JSON Schema with the TypeScript type of the values it admits: one source for validation, documentation and types.

declare const admitted: unique symbol;

/** A JSON Schema; the type parameter exists only at compile time. */
export interface Schema<T = unknown> {
  readonly [admitted]?: T;
  readonly [keyword: string]: unknown;
}

/** The type of the values that a schema admits. */
export type Admitted<S> = S extends Schema<infer T> ? T : never;

/** Declares that `keywords` are the schema of values of type T; this is not checked. */
export const typed = <T>(keywords: object): Schema<T> => ({ ...keywords });
