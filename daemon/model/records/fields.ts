// How a resource's fields are declared: each by its JSON Schema, the API version that introduced it, and whether POST and PATCH
// accept it. Views, validation, PATCH rules and database columns all follow these declarations.
import { type Admitted, type Schema, typed } from '../../lib/json/typed-schema.ts';
import type { Json, JsonObject } from '../json.ts';

export interface Field<S extends Schema = Schema> {
  readonly schema: S;
  /** The minor API version that introduced the field. */
  readonly since: number;
  /** Whether POST accepts the field. */
  readonly create?: true;
  /** Whether PATCH may change the field. */
  readonly update?: true;
  /** The value in a new record, and after a PATCH `remove` of the field. */
  readonly initial: Admitted<S>;
  /** The value is not stored in a column, but filled in when the record is read or shown. */
  readonly computed?: true;
  /** A boolean that is accepted only as JSON true or false. */
  readonly exact?: true;
  /** The schema of the shown value, if it differs from what may be written; see `shownSchema`. */
  readonly shown?: Schema;
}

export type FieldTable = Readonly<Record<string, Field>>;
export type RecordOf<T extends FieldTable> = { readonly [K in keyof T]: Admitted<T[K]['schema']> };

export function field<S extends Schema>(schema: S, options: Omit<Field<S>, 'schema'>): Field<S> {
  return { schema, ...options };
}

const nullable = <T>(type: string, rest: object = {}) => typed<T | null>({ type: [type, 'null'], ...rest });

/** Builders for the schemas in field tables. */
export const schema = {
  text: (rest: object = {}) => typed<string>({ type: 'string', ...rest }),
  textOrNull: (rest: object = {}) => nullable<string>('string', rest),
  flag: () => typed<boolean>({ type: 'boolean' }),
  flagOrNull: () => nullable<boolean>('boolean'),
  /** Clients may write null, which stores the initial value. */
  flagOrInitial: () => typed<boolean>({ type: ['boolean', 'null'] }),
  textOrInitial: (rest: object = {}) => typed<string>({ type: ['string', 'null'], ...rest }),
  object: (rest: object = {}) => typed<JsonObject>({ type: ['object', 'null'], ...rest }),
  list: () => typed<readonly Json[]>({ type: 'array' }),
  texts: () => typed<readonly string[]>({ type: 'array', items: { type: 'string' } }),
  integerOrNull: () => nullable<number>('integer'),
  uuid: () => typed<string>({ type: 'string', format: 'uuid' }),
  uuidOrNull: () => nullable<string>('string', { format: 'uuid' }),
  /** ISO 8601 in UTC with an explicit +00:00. */
  timeOrNull: () => nullable<string>('string', { format: 'date-time' }),
};

/** `text`: strings and numbers, which are stored as they are. */
export type Storage = 'text' | 'flag' | 'json';

function typesOf(of: Field): readonly string[] {
  const { type = [] } = of.schema as { type?: string | readonly string[] };
  return [type].flat();
}

/** Whether clients may write null. */
export const takesNull = (of: Field): boolean => typesOf(of).includes('null');

/**
 * Returns the schema of the shown value: `shown` if it is declared, otherwise the first alternative of an `anyOf` if there is one,
 * otherwise the field's schema. In the last case, null is allowed only if the initial value is null.
 */
export function shownSchema({ schema: { type, anyOf, ...rest }, initial, shown }: Field): Schema {
  if (shown !== undefined) return shown;
  if (Array.isArray(anyOf)) return anyOf[0] as Schema;
  const types = [type].flat().filter((each) => each !== 'null' || initial === null);
  return { type: types.length === 1 ? types[0] : types, ...rest };
}

/** Returns the named fields of a table. */
export const only = <T extends FieldTable, K extends keyof T & string>(
  fields: T,
  names: readonly K[],
): Pick<T, K> => Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<T, K>;

/** Returns how a field is stored in the database, as SQLite has neither booleans nor objects. */
export function storageOf(of: Field): Storage {
  const [first] = typesOf(of);
  if (first === 'boolean') return 'flag';
  return first === 'object' || first === 'array' ? 'json' : 'text';
}
