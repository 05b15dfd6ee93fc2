// Writes that collide with another record, told in the resource's own terms.
import { collidingColumn } from '../db/tables/statements.ts';
import { type Fault, fault } from '../model/faults.ts';

/** The parts of a record that must be its own. */
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
 * The result of `write`. Throws DuplicateUuid, DuplicateName, DuplicateMac, InstanceAssociated or the kind's own fault
 * when another record has the same.
 */
export function refusingDuplicates<R extends Unique, T>(
  { resource, duplicate }: Kind<R>,
  record: R,
  write: () => T,
): T {
  try {
    return write();
  } catch (error) {
    const column = collidingColumn(error);
    if (column === 'uuid') throw fault('DuplicateUuid', { resource, uuid: record.uuid });
    if (column === 'name') throw fault('DuplicateName', { resource, name: record.name ?? '' });
    if (column === 'address') throw fault('DuplicateMac', { resource, mac: record.address ?? '' });
    if (column === 'instance_uuid') {
      throw fault('InstanceAssociated', { instance: record.instance_uuid ?? '', node: record.uuid });
    }
    throw column === undefined ? error : (duplicate?.(record) ?? error);
  }
}
