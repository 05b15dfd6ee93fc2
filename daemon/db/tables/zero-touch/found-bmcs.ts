// The found_bmcs table: BMCs that were found on the network, a limited number of them.
import { type FoundBmc, foundBmcFields } from '../../../model/zero-touch/found-bmc.ts';
import type { Connection } from '../../open.ts';
import { createTable } from '../table.ts';

/** Strangers can invent BMCs. */
export const MOST_FOUND_BMCS = 10_000;

export type FoundBmcsTable = ReturnType<typeof createFoundBmcsTable>;

export function createFoundBmcsTable(connection: Connection) {
  const count = connection.prepare('SELECT count(*) FROM found_bmcs').pluck();
  // those that never answered go first, then those not seen for longest
  const forget = connection.prepare(
    `DELETE FROM found_bmcs WHERE id = (SELECT id FROM found_bmcs
       WHERE stage = 'seen' AND node_uuid IS NULL AND expected_uuid IS NULL
       ORDER BY protocols <> '[]', last_seen LIMIT 1)`,
  );
  const unmatched = connection
    .prepare(`SELECT uuid FROM found_bmcs WHERE stage = 'seen' AND node_uuid IS NULL ORDER BY id`)
    .pluck();
  const underWay = connection
    .prepare(`SELECT uuid FROM found_bmcs WHERE stage <> 'available' AND reason IS NULL ORDER BY id`)
    .pluck();
  const table = createTable<FoundBmc>(connection, 'found_bmcs', foundBmcFields);
  return {
    ...table,
    withRedfishUuid: (uuid: string) => table.where({ sql: 'redfish_uuid = ?', values: [uuid] }),
    /** Returns the UUIDs of those that became no node. */
    unmatched: () => unmatched.all() as readonly string[],
    /** Returns the UUIDs of those whose machines are not `available` and wait for no operator. */
    underWay: () => underWay.all() as readonly string[],
    /** Makes room for one more. Returns false when all are of machines that are being taken in. */
    makeRoom: (): boolean => (count.get() as number) < MOST_FOUND_BMCS || forget.run().changes > 0,
  };
}
