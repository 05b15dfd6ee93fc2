// The conductors table: the host that drives the nodes.
import { conductorFields, type ConductorRecord } from '../../model/conductor-record.ts';
import { columnsOf } from '../columns.ts';
import type { Connection } from '../open.ts';
import { statementsFor } from './statements.ts';

export const conductorColumns = columnsOf<ConductorRecord>(conductorFields);

export type ConductorsTable = ReturnType<typeof createConductorsTable>;

export function createConductorsTable(connection: Connection) {
  const statements = statementsFor<ConductorRecord>(connection, 'conductors', conductorColumns);
  const all = conductorColumns.names;
  const get = (hostname: string) => statements.select(all, 'WHERE hostname = ?', hostname)[0];
  return {
    get,
    list: (): ConductorRecord[] => statements.select(all, 'ORDER BY created_at, hostname'),
    put(record: ConductorRecord): void {
      const changed = statements.update(
        { ...record, created_at: get(record.hostname)?.created_at ?? record.created_at },
        'hostname = ?',
        record.hostname,
      );
      if (changed === 0) statements.insert(record);
    },
  };
}
