// Writes that collide with another record, told in the resource's own terms.
import { collidingColumn } from '../db/tables/statements.ts';
import { fault } from '../model/faults.ts';

/** The parts of a record that must be its own. */
interface Unique {
  readonly uuid: string;
  readonly name?: string | null;
  readonly address?: string | null;
  readonly instance_uuid?: string | null;
}

/** The result of `write`. Throws DuplicateUuid, DuplicateName, DuplicateMac or InstanceAssociated when another record has the same. */
export function refusingDuplicates<T>(resource: string, record: Unique, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const column = collidingColumn(error);
    if (column === 'uuid') throw fault('DuplicateUuid', { resource, uuid: record.uuid });
    if (column === 'name') throw fault('DuplicateName', { resource, name: record.name ?? '' });
    if (column === 'address') throw fault('DuplicateMac', { resource, mac: record.address ?? '' });
    if (column === 'instance_uuid')
      throw fault('InstanceAssociated', { instance: record.instance_uuid ?? '', node: record.uuid });
    throw error;
  }
}
