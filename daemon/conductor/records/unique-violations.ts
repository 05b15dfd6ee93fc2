// Turns violations of unique constraints into faults that name the resource and the value.
import { collidingColumn } from '../../db/tables/statements.ts';
import { type Fault, fault } from '../../model/faults.ts';

/** The fields of a record that must be unique. */
interface Unique {
  readonly uuid: string;
  readonly name?: string | null;
  readonly address?: string | null;
  readonly instance_uuid?: string | null;
}

interface Kind<R> {
  readonly resource: string;
  readonly duplicate?: (record: R) => Fault;
}

/**
 * Returns the result of `write`. Throws DuplicateUuid, DuplicateName, DuplicateMac, InstanceAssociated or the kind's
 * own fault when another record has the same value.
 */
export function refuseDuplicates<R extends Unique, T>(kind: Kind<R>, record: R, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw collision(kind, record, collidingColumn(error)) ?? error;
  }
}

function collision<R extends Unique>(
  { resource, duplicate }: Kind<R>,
  record: R,
  column: string | undefined,
): Fault | undefined {
  const known = `${/^[aeiou]/.test(resource) ? 'An' : 'A'} ${resource}`;
  switch (column) {
    case undefined:
      return undefined;
    case 'uuid':
      return fault('DuplicateUuid', { record: known, uuid: record.uuid });
    case 'name':
      return fault('DuplicateName', { record: known, name: String(record.name) });
    case 'address':
      return fault('DuplicateMac', { record: known, mac: String(record.address) });
    case 'instance_uuid':
      return fault('InstanceAssociated', { instance: String(record.instance_uuid), node: record.uuid });
    default:
      return duplicate?.(record);
  }
}
