// The machine_events table: the timelines of nodes, and of machines that belong to no node.
import type { MachineEvent, UnknownMachine } from '../../model/records/machine-event.ts';
import type { Connection } from '../open.ts';

export type MachineEventsTable = ReturnType<typeof createMachineEventsTable>;

interface Page {
  /** Only events with a higher id. */
  readonly since: number;
  readonly limit: number;
}

const COLUMNS = 'id, at, hop, node_uuid, mac, address, text, failed';
// events from before the node existed have no node_uuid, so they are found by the MAC addresses of its ports
const OF_NODE = `SELECT ${COLUMNS} FROM machine_events WHERE node_uuid = $node
  UNION
  SELECT ${COLUMNS} FROM machine_events WHERE node_uuid IS NULL
    AND mac IN (SELECT address FROM ports WHERE node_uuid = $node)`;
const OF_MACHINE = `SELECT ${COLUMNS} FROM machine_events
  WHERE node_uuid IS NULL AND (mac = $machine OR mac IS NULL AND address = $machine)`;

export function createMachineEventsTable(connection: Connection) {
  const newest = connection.prepare('SELECT coalesce(max(id), 0) FROM machine_events').pluck();
  const insert = connection
    .prepare(
      `INSERT INTO machine_events (${COLUMNS}) VALUES ($id, $at, $hop,
       coalesce((SELECT uuid FROM nodes WHERE uuid = $node_uuid), (SELECT node_uuid FROM ports WHERE address = $mac)),
       $mac, $address, $text, $failed) RETURNING node_uuid`,
    )
    .pluck();
  // the newest events, in order of time
  const page = (events: string) =>
    connection.prepare(
      `SELECT * FROM (SELECT * FROM (${events}) WHERE id > $since ORDER BY id DESC LIMIT $limit) ORDER BY id`,
    );
  const [ofNode, ofMachine] = [page(OF_NODE), page(OF_MACHINE)];
  const unknown = connection.prepare(
    `SELECT machine, first_seen, last_seen, events, text AS last_event FROM (
       SELECT coalesce(mac, address) AS machine, min(at) AS first_seen, max(at) AS last_seen, count(*) AS events,
         max(id) AS last_id
       FROM machine_events
       WHERE node_uuid IS NULL AND coalesce(mac, address) IS NOT NULL
         AND (mac IS NULL OR mac NOT IN (SELECT address FROM ports))
       GROUP BY machine)
     JOIN machine_events ON id = last_id ORDER BY last_id DESC LIMIT ?`,
  );
  const trimNode = connection.prepare(
    `DELETE FROM machine_events WHERE node_uuid = $node AND id <=
       (SELECT id FROM machine_events WHERE node_uuid = $node ORDER BY id DESC LIMIT 1 OFFSET $keep)`,
  );
  const trimUnknown = connection.prepare(
    `DELETE FROM machine_events WHERE node_uuid IS NULL AND id <=
       (SELECT id FROM machine_events WHERE node_uuid IS NULL ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  );
  return {
    newestId: () => newest.get() as number,
    /** Stores the event and returns its node: the one that it names, else the one with a port of its MAC address. */
    insert: (event: MachineEvent) => insert.get({ ...event, failed: Number(event.failed) }) as string | null,
    ofNode: (node: string, { since, limit }: Page) =>
      ofNode.all({ node, since, limit }).map((row) => decoded(row as EventRow)),
    ofMachine: (machine: string, { since, limit }: Page) =>
      ofMachine.all({ machine, since, limit }).map((row) => decoded(row as EventRow)),
    /** Returns the machines that belong to no node, the most recently seen first. */
    unknownMachines: (limit: number): readonly UnknownMachine[] => unknown.all(limit) as UnknownMachine[],
    /** Deletes all but the newest `keep` events of the node. */
    trimNode: (node: string, keep: number): void => {
      trimNode.run({ node, keep });
    },
    /** Deletes all but the newest `keep` events of the machines that belong to no node, taken together. */
    trimUnknown: (keep: number): void => {
      trimUnknown.run(keep);
    },
  };
}

type EventRow = Omit<MachineEvent, 'failed'> & { readonly failed: number };

const decoded = (row: EventRow): MachineEvent => ({ ...row, failed: row.failed === 1 });
