// Creates and changes records; checks nothing but uniqueness.
import type { Table } from '../../db/tables/table.ts';
import type { Fault } from '../../model/faults.ts';
import type { FieldTable } from '../../model/records/fields.ts';
import { refusingDuplicates } from './duplicates.ts';
import { newRecord } from './new-record.ts';
import { now, type Services } from '../services.ts';

interface Plain {
  readonly uuid: string;
  readonly updated_at: string | null;
}

export interface PlainKind<R extends Plain> {
  /** For messages: `deploy template`. */
  readonly resource: string;
  readonly fields: FieldTable;
  readonly table: (services: Services) => Table<R>;
  /** Returns the fault for a duplicate of anything but UUID, name, address or instance UUID. */
  readonly duplicate?: (record: R) => Fault;
}

export function createPlain<R extends Plain>(services: Services, kind: PlainKind<R>, given: Partial<R>): R {
  const record = newRecord<R>(services, kind.fields, given);
  refusingDuplicates(kind, record, () => kind.table(services).insert(record));
  return record;
}

/** Returns the record with the changes; without any, stores nothing. */
export function changePlain<R extends Plain>(
  services: Services,
  kind: PlainKind<R>,
  record: R,
  changes: Partial<R>,
): R {
  if (Object.keys(changes).length === 0) return record;
  const stamped = { ...changes, updated_at: now(services) };
  const changed = { ...record, ...stamped };
  refusingDuplicates(kind, changed, () => kind.table(services).update(record.uuid, stamped));
  return changed;
}
