// Records that nothing works on while they change: created, changed and deleted as they are.
import type { Table } from '../db/tables/table.ts';
import type { Fault } from '../model/faults.ts';
import type { FieldTable } from '../model/fields.ts';
import { refusingDuplicates } from './duplicates.ts';
import { newRecord } from './new-record.ts';
import { now, type Services } from './services.ts';

interface Plain {
  readonly uuid: string;
  readonly updated_at: string | null;
}

export interface PlainKind<R extends Plain> {
  /** For messages: `deploy template`. */
  readonly resource: string;
  readonly fields: FieldTable;
  readonly table: (services: Services) => Table<R>;
  /** What a collision is that neither UUID, name nor address explains. */
  readonly duplicate?: (record: R) => Fault;
}

export function createPlain<R extends Plain>(services: Services, kind: PlainKind<R>, given: Partial<R>): R {
  const record = newRecord<R>(services, kind.fields, given);
  refusingDuplicates(kind, record, () => kind.table(services).insert(record));
  return record;
}

/** The record with the changes, which may be none. */
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
