// Validates JSON values against the field tables, with messages in the wording that clients know.
import { booleanOf } from '../../lib/words.ts';
import { type Ajv, createAjv, type ErrorObject, type ValidateFunction } from '../../lib/json/lazy-ajv.ts';
import { parseUuid } from '../../lib/uuid.ts';
import { fault } from '../faults.ts';
import type { FieldTable } from './fields.ts';
import { isSecretKey, shownValue } from '../secrets.ts';

/** Returns `value`, with words in boolean fields turned into booleans. Throws InvalidSchema with the `resource` in its message. */
export type Validator = (resource: string, value: unknown) => Record<string, unknown>;

/**
 * Returns a validator of objects with the fields that `access` allows. A boolean field that is not `exact` also accepts 0, 1 and
 * every word that `booleanOf` knows. If the value to validate is undefined, it counts as an empty object.
 */
export function validatorFor(
  fields: FieldTable,
  access: 'create' | 'update',
  required: readonly string[],
): Validator {
  const allowed = Object.entries(fields).filter(([, field]) => field[access] === true);
  const flags = allowed
    .filter(([, { schema, exact }]) => isFlag(schema) && exact !== true)
    .map(([name]) => name);
  let compiled: ValidateFunction | undefined;
  return (resource, body = {}) => {
    compiled ??= fieldAjv().compile({
      type: 'object',
      properties: Object.fromEntries(allowed.map(([name, { schema }]) => [name, schema])),
      required,
      additionalProperties: false,
    });
    const value = withFlags(body, flags);
    if (compiled(value)) return value as Record<string, unknown>;
    throw fault('InvalidSchema', { resource, reason: describe(compiled.errors?.[0]) });
  };
}

function fieldAjv(): Ajv {
  const ajv = createAjv({ allowUnionTypes: true, strict: true, verbose: true });
  ajv.addFormat('uuid', (text) => parseUuid(text) !== undefined);
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  return ajv;
}

const isFlag = (schema: object): boolean => 'type' in schema && [schema.type].flat()[0] === 'boolean';

function withFlags(body: unknown, flags: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const coerced = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    flags.includes(name) && (typeof value === 'string' || typeof value === 'number')
      ? (booleanOf(String(value)) ?? value)
      : value,
  ]);
  return Object.fromEntries(coerced);
}

type Flaw = (name: string, shown: string, parameters: Readonly<Record<string, unknown>>) => string;

const tooLong: Flaw = (name, shown, { limit }) => `${name}: ${shown} is too long: ${String(limit)} at most`;
const tooShort: Flaw = (name, shown, { limit }) =>
  `${name}: ${shown} is too short: ${String(limit)} at least`;

/** Messages by schema keyword, in words that the test suites of clients look for. */
const flaws: Readonly<Record<string, Flaw>> = {
  maxLength: tooLong,
  maxItems: tooLong,
  minLength: tooShort,
  minItems: tooShort,
  pattern: (name, shown, { pattern }) => `${name}: ${shown} does not match '${String(pattern)}'`,
  format: (name, shown, { format }) =>
    format === 'uuid'
      ? `Expected UUID for ${name} but received ${shown}`
      : `${name}: ${shown} is not a ${String(format)}`,
};

function describe(error: ErrorObject | undefined): string {
  if (error === undefined) return 'it is not valid';
  const parameters = error.params as Readonly<Record<string, unknown>>;
  const name = error.instancePath.slice(1);
  const where = name === '' ? '' : ` (${name})`;
  if (error.keyword === 'required')
    return `'${String(parameters['missingProperty'])}' is a required property${where}`;
  if (error.keyword === 'additionalProperties') {
    return `Additional properties are not allowed ('${String(parameters['additionalProperty'])}' was unexpected)${where}`;
  }
  const shown = shownValue(name.split('/').find(isSecretKey) ?? '', error.data);
  const flaw = flaws[error.keyword];
  if (flaw !== undefined) return flaw(name, shown, parameters);
  if (error.keyword !== 'type') return `${name}: ${shown} ${error.message ?? 'is not valid'}`;
  const types = [parameters['type']].flat();
  // a value of the wrong type in place of an object may be a secret, and no key shows whether it is one
  const given = types.includes('object') ? 'it' : shown;
  return `${given} is not of type ${types.join(' or ')}${where}`;
}
