// The JSON Schema of PATCH bodies: the operations that a resource accepts, their values, and the API version that introduced each
// field.
import type { Schema } from '../../lib/json/typed-schema.ts';
import { type Field, type FieldTable, storageOf } from '../../model/records/fields.ts';
import { MAXIMUM_DEPTH, MAXIMUM_OPERATIONS } from './json-patch.ts';
import { versioned } from '../schema-parts.ts';

/** `unremovable`: fields that may be changed but not removed. */
export function patchSchema(fields: FieldTable, unremovable: readonly string[]): Schema {
  const updatable = Object.entries(fields).filter(([, field]) => field.update === true);
  const removable = updatable.map(([name]) => name).filter((name) => !unremovable.includes(name));
  const nested = updatable.filter(([, field]) => storageOf(field) === 'json');
  return {
    type: 'array',
    maxItems: MAXIMUM_OPERATIONS,
    items: {
      anyOf: [
        ...updatable.map(([name, field]) => writing({ const: `/${name}` }, field.schema, field)),
        ...nested.map(([name, field]) => writing(below(name), {}, field)),
        operation('remove', { enum: removable.map((name) => `/${name}`) }, {}),
        ...nested.map(([name]) => operation('remove', below(name), {})),
      ],
    },
  };
}

const below = (name: string): Schema => ({
  pattern: `^/${name}(/([a-zA-Z0-9_-]|~[01])+){1,${MAXIMUM_DEPTH - 1}}$`,
});

const writing = (path: Schema, value: Schema, { since }: Field): Schema =>
  versioned(since, {
    ...operation(['add', 'replace'], path, value),
    required: ['op', 'path', 'value'],
  });

const operation = (op: string | readonly string[], path: Schema, value: Schema): Schema => ({
  type: 'object',
  properties: { op: { enum: [op].flat() }, path: { type: 'string', ...path }, value },
  required: ['op', 'path'],
  additionalProperties: false,
});
