// Finds records that requests name by UUID or by name.
import type { Table } from '../../../db/tables/table.ts';
import { parseUuid } from '../../../lib/uuid.ts';
import { fault } from '../../../model/faults.ts';

interface Named {
  readonly uuid: string;
  readonly name: string | null;
}

export const LOGICAL_NAME_RULE = 'letters, digits and -._~ are allowed, at most 255 characters';

export const isLogicalName = (text: string): boolean =>
  text.length <= 255 && /^[A-Za-z0-9\-._~]+$/.test(text);

/** Returns undefined if there is no such record. Throws InvalidUuidOrName if `identifier` is neither a UUID nor a valid name. */
export function findByUuidOrName<R extends Named>(table: Table<R>, identifier: string): R | undefined {
  const uuid = parseUuid(identifier);
  if (uuid === undefined && !isLogicalName(identifier)) {
    throw fault('InvalidUuidOrName', { value: identifier });
  }
  return (uuid === undefined ? undefined : table.get(uuid)) ?? table.findBy('name', identifier);
}
