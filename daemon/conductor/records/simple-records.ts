// Creates and changes records, and checks only that their unique fields are unique.
import type { Table } from '../../db/tables/table.ts';
import type { Fault } from '../../model/faults.ts';
import type { FieldTable } from '../../model/records/fields.ts';
import { now } from '../../lib/clock.ts';
import { refuseDuplicates } from './storable-record.ts';
import { newRecord } from './new-record.ts';
import type { RecordServices } from './services.ts';

interface Recorded {
  readonly uuid: string;
  readonly updated_at: string | null;
}

export interface SimpleKind<R extends Recorded> {
  /** The name of the resource in messages: `deploy template`. */
  readonly resource: string;
  readonly fields: FieldTable;
  readonly table: (services: RecordServices) => Table<R>;
  /** Returns the fault for a duplicate of anything but UUID, name, address or instance UUID. */
  readonly duplicate?: (record: R) => Fault;
}

export function createSimpleRecord<R extends Recorded>(
  services: RecordServices,
  kind: SimpleKind<R>,
  given: Partial<R>,
): R {
  const record = newRecord<R>(services, kind.fields, given);
  refuseDuplicates(kind, record, () => kind.table(services).insert(record));
  return record;
}

/** Stores the changes, if there are any. Returns the changed record. */
export function changeSimpleRecord<R extends Recorded>(
  services: RecordServices,
  kind: SimpleKind<R>,
  record: R,
  changes: Partial<R>,
): R {
  if (Object.keys(changes).length === 0) return record;
  const stamped = { ...changes, updated_at: now(services) };
  const changed = { ...record, ...stamped };
  refuseDuplicates(kind, changed, () => kind.table(services).update(record.uuid, stamped));
  return changed;
}
