// The expected_machines table: machines that an operator expects.
import { type ExpectedMachine, expectedMachineFields } from '../../../model/zero-touch/expected-machine.ts';
import type { Connection } from '../../open.ts';
import { createTable } from '../table.ts';

export type ExpectedMachinesTable = ReturnType<typeof createExpectedMachinesTable>;

/** By what a machine is recognised; null: unknown. */
export interface Recognisable {
  readonly serial_number: string | null;
  readonly bmc_mac: string | null;
  readonly bmc_address: string | null;
  readonly port_macs: readonly string[];
}

export function createExpectedMachinesTable(connection: Connection) {
  const table = createTable<ExpectedMachine>(connection, 'expected_machines', expectedMachineFields);
  const unseen = connection
    .prepare(
      `SELECT bmc_address FROM expected_machines
       WHERE bmc_address IS NOT NULL AND bmc_address NOT IN (SELECT address FROM found_bmcs WHERE address IS NOT NULL)`,
    )
    .pluck();
  return {
    ...table,
    /** Returns the machines that have one of these values. */
    like: (one: Recognisable): readonly ExpectedMachine[] =>
      table.where({
        sql: `serial_number = ? OR bmc_mac = ? OR bmc_address = ?
          OR EXISTS (SELECT 1 FROM json_each(port_macs) WHERE value IN (SELECT value FROM json_each(?)))`,
        values: [one.serial_number, one.bmc_mac, one.bmc_address, JSON.stringify(one.port_macs)],
      }),
    /** Returns the addresses of BMCs at which none was found. */
    unseenAddresses: () => unseen.all() as readonly string[],
  };
}
