// Reads the POST and PATCH bodies of a resource according to its field table.
import { isDeepStrictEqual } from 'node:util';
import { fault } from '../../model/faults.ts';
import type { Schema } from '../../lib/json/typed-schema.ts';
import type { Field, FieldTable } from '../../model/records/fields.ts';
import { isJsonObject } from '../../model/json.ts';
import { parsePatch, patchedFields, type PatchOperation } from './json-patch.ts';
import { patchSchema } from './patch-schema.ts';
import { createSchema, type ObjectSchema } from '../schema-parts.ts';
import { validatorFor } from '../../model/records/field-validator.ts';

export interface Bodies<R> {
  /** The JSON Schema of POST bodies. */
  readonly postSchema: ObjectSchema;
  readonly patchSchema: Schema;
  /** Returns the fields of a new record. Throws InvalidSchema, VersionTooOld, or what the rules throw. */
  fromPost(body: unknown, minor: number): Partial<R>;
  /**
   * Returns the operations of a PATCH body, without those that remove a `fixed` field. Throws when no record could accept them.
   */
  operations(body: unknown, minor: number): readonly PatchOperation[];
  /** Returns the fields of `record` that the operations change, validated. Throws when `record` cannot accept them. Pure. */
  changes(record: R, operations: readonly PatchOperation[], minor: number): Partial<R>;
}

export interface BodyRules<R> {
  /** The name of the resource in messages, such as `port`. */
  readonly resource: string;
  readonly fields: FieldTable;
  readonly required: readonly string[];
  /** Fields that PATCH may change but not remove. */
  readonly unremovable?: readonly string[];
  /** Fields that PATCH clears with `remove`, and not by writing null or an empty text. */
  readonly clearedByRemove?: readonly string[];
  /** The minor API version since which PATCH may unset the field; not given: always. */
  readonly unsetSince?: Readonly<Record<string, number>>;
  /** Fields for which PATCH ignores `remove`. */
  readonly fixed?: readonly string[];
  /** The fields whose version PATCH checks. Not set: all. */
  readonly gatedInPatch?: readonly string[];
  /** Checks fields beyond the schema and returns them in canonical form. Throws faults. */
  readonly normalise?: (given: Partial<R>, minor: number) => Partial<R>;
  /** Checks the new or changed record as a whole. Throws faults. */
  readonly checkWhole?: (record: Partial<R>) => void;
}

export function createBodies<R extends object>(rules: BodyRules<R>): Bodies<R> {
  const { resource, fields, required, unremovable = [], fixed = [], gatedInPatch } = rules;
  const { clearedByRemove = [], unsetSince = {} } = rules;
  const validateNew = validatorFor(fields, 'create', required);
  const validateChanged = validatorFor(fields, 'update', []);
  const normalise = (given: Record<string, unknown>, minor: number) =>
    rules.normalise === undefined ? (given as Partial<R>) : rules.normalise(given as Partial<R>, minor);
  const patchable: FieldTable =
    gatedInPatch === undefined
      ? fields
      : Object.fromEntries(
          Object.entries(fields).map(([name, field]) => [
            name,
            gatedInPatch.includes(name) ? field : { ...field, since: 1 },
          ]),
        );
  return {
    postSchema: createSchema(fields, required),
    patchSchema: patchSchema(patchable, unremovable),
    fromPost(body, minor) {
      const given = validateNew(resource, withoutNullUuid(body));
      refuseTooNew(fields, given, minor);
      const whole = Object.entries(given).map(([name, value]) => [
        name,
        value ?? fieldOf(fields, name).initial,
      ]);
      const record = normalise(Object.fromEntries(whole), minor);
      rules.checkWhole?.(record);
      return record;
    },
    operations(body, minor) {
      const operations = parsePatch(body, patchable, minor);
      refuseRemoval(operations, unremovable);
      for (const operation of operations) refuseUnset(operation, { clearedByRemove, unsetSince }, minor);
      return operations.filter(({ op, path }) => op !== 'remove' || !fixed.includes(path.slice(1)));
    },
    changes(record, operations, minor) {
      const changes = normalise(
        validateChanged(
          'patch',
          patchedFields(record as Readonly<Record<string, unknown>>, operations, fields),
        ),
        minor,
      );
      rules.checkWhole?.({ ...record, ...changes });
      return differing(record, changes);
    },
  };
}

// another spelling of the stored value does not count as a change
const differing = <R extends object>(record: R, changes: Partial<R>): Partial<R> =>
  Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !isDeepStrictEqual(value, record[name as keyof R])),
  ) as Partial<R>;

// a null UUID lets the daemon choose one
function withoutNullUuid(body: unknown): unknown {
  if (!isJsonObject(body) || body['uuid'] !== null) return body;
  const { uuid: _, ...rest } = body;
  return rest;
}

function refuseRemoval(operations: readonly PatchOperation[], names: readonly string[]): void {
  const removed = operations.find(({ op, path }) => op === 'remove' && names.includes(path.slice(1)));
  if (removed !== undefined)
    throw fault('InvalidPatch', { reason: `${removed.path} is mandatory and can not be removed` });
}

function refuseUnset(
  { op, path, value }: PatchOperation,
  { clearedByRemove, unsetSince }: Required<Pick<BodyRules<never>, 'clearedByRemove' | 'unsetSince'>>,
  minor: number,
): void {
  const name = path.slice(1);
  const since = unsetSince[name] ?? 1;
  if (minor < since && (op === 'remove' || value === null)) throw fault('VersionTooOld', { since });
  if (op !== 'remove' && (value === null || value === '') && clearedByRemove.includes(name))
    throw fault('InvalidPatch', { reason: `${op} ${path}: clear this field with the remove operation` });
}

function refuseTooNew(fields: FieldTable, given: Readonly<Record<string, unknown>>, minor: number): void {
  for (const [name, value] of Object.entries(given)) {
    const { since } = fieldOf(fields, name);
    if (since > minor && value !== null) throw fault('VersionTooOld', { since });
  }
}

function fieldOf(fields: FieldTable, name: string): Field {
  const field = fields[name];
  if (field === undefined) throw new Error(`${name} is not a field`);
  return field;
}
