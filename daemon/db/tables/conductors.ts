// The conductors and conductor_hardware_interfaces tables: the hosts that drive nodes, and the interfaces they offer.
import { conductorFields, type ConductorRecord } from '../../model/records/conductor-record.ts';
import { type HardwareInterface, hardwareInterfaceFields } from '../../model/records/hardware-interface.ts';
import type { Connection } from '../open.ts';
import { columnsOf, statementsFor } from './rows.ts';

const conductorColumns = columnsOf<ConductorRecord>(conductorFields);

const hardwareInterfaceColumns = columnsOf<HardwareInterface>(hardwareInterfaceFields);

export type ConductorsTable = ReturnType<typeof createConductorsTable>;

export function createConductorsTable(connection: Connection) {
  const statements = statementsFor<ConductorRecord>(connection, 'conductors', conductorColumns);
  const all = conductorColumns.names;
  const offers = statementsFor<HardwareInterface>(
    connection,
    'conductor_hardware_interfaces',
    hardwareInterfaceColumns,
  );
  const get = (hostname: string) => statements.findBy('hostname', hostname);
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
    touch(hostname: string, time: string): void {
      statements.update({ updated_at: time }, 'hostname = ?', hostname);
    },
    /** Returns the interfaces that conductors other than `hostname` offer. */
    offersOfOthers: (hostname: string): HardwareInterface[] =>
      offers.select(hardwareInterfaceColumns.names, 'WHERE hostname <> ?', hostname),
    /** Replaces the interfaces that the conductor offers. */
    putOffers(hostname: string, offered: readonly Omit<HardwareInterface, 'hostname'>[]): void {
      offers.run('DELETE FROM conductor_hardware_interfaces WHERE hostname = ?', hostname);
      for (const one of offered) offers.insert({ hostname, ...one });
    },
  };
}
