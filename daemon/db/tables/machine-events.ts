// The machine_events and ignored_machines tables: the timelines of nodes and of machines that belong to no node, and which of
// those machines an operator ignores.
import { type MachineEvent, openHops, type UnknownMachine } from '../../model/records/machine-event.ts';
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
  // selects the newest events and returns them in order of time
  const page = (events: string) =>
    connection.prepare(
      `SELECT * FROM (SELECT * FROM (${events}) WHERE id > $since ORDER BY id DESC LIMIT $limit) ORDER BY id`,
    );
  const [ofNode, ofMachine] = [page(OF_NODE), page(OF_MACHINE)];
  const newestOfNodes = connection.prepare(
    `SELECT ${COLUMNS} FROM machine_events WHERE id IN
       (SELECT (SELECT max(id) FROM machine_events WHERE node_uuid = wanted.value AND hop <> 'wait') FROM json_each(?) AS wanted)`,
  );
  const isOpen = `(hop IN (${openHops.map((hop) => `'${hop}'`).join()}))`;
  const trimNode = connection.prepare(
    `DELETE FROM machine_events WHERE node_uuid = $node AND ${isOpen} = $open AND id <= (SELECT id FROM machine_events
       WHERE node_uuid = $node AND ${isOpen} = $open ORDER BY id DESC LIMIT 1 OFFSET $keep)`,
  );
  const trimUnknown = connection.prepare(
    `DELETE FROM machine_events WHERE node_uuid IS NULL AND id <=
       (SELECT id FROM machine_events WHERE node_uuid IS NULL ORDER BY id DESC LIMIT 1 OFFSET ?)`,
  );
  return {
    ...unknownMachines(connection),
    ...newestDhcp(connection),
    newestId: () => newest.get() as number,
    /**
     * Stores the event and returns the UUID of its node: the node that the event names, else the node with a port of the event's
     * MAC address. Returns null if neither exists.
     */
    insert: (event: MachineEvent) => insert.get({ ...event, failed: Number(event.failed) }) as string | null,
    ofNode: (node: string, { since, limit }: Page) =>
      ofNode.all({ node, since, limit }).map((row) => decoded(row as EventRow)),
    /** Returns the newest event of each of the nodes that has one. */
    newestOfNodes: (nodes: readonly string[]): ReadonlyMap<string, MachineEvent> =>
      eventsBy('node_uuid', newestOfNodes.all(JSON.stringify(nodes))),
    ofMachine: (machine: string, { since, limit }: Page) =>
      ofMachine.all({ machine, since, limit }).map((row) => decoded(row as EventRow)),
    /**
     * Deletes all but the newest `keep` events of the node at the open hops, and at the others: events that strangers make push out
     * none that the daemon knows to be true.
     */
    trimNode: (node: string, keep: number): void => {
      for (const open of [0, 1]) trimNode.run({ node, keep, open });
    },
    /** Deletes all but the newest `keep` events of the machines that belong to no node, taken together. */
    trimUnknown: (keep: number): void => {
      trimUnknown.run(keep);
    },
  };
}

function newestDhcp(connection: Connection) {
  const newest = connection.prepare(
    `SELECT ${COLUMNS} FROM machine_events WHERE id IN (SELECT (SELECT max(id) FROM machine_events
       WHERE mac = wanted.value AND hop IN ('dhcp', 'proxydhcp')) FROM json_each(?) AS wanted)`,
  );
  return {
    /** Returns, by MAC address, the newest event at the hop dhcp or proxydhcp of each of the machines that has one. */
    newestDhcpOf: (macs: readonly string[]): ReadonlyMap<string, MachineEvent> =>
      eventsBy('mac', newest.all(JSON.stringify(macs))),
  };
}

const eventsBy = (column: 'node_uuid' | 'mac', rows: readonly unknown[]): ReadonlyMap<string, MachineEvent> =>
  new Map(rows.map((row) => decoded(row as EventRow)).map((event) => [event[column] ?? '', event]));

function unknownMachines(connection: Connection) {
  const unknown = connection.prepare(
    `SELECT machine, first_seen, last_seen, events, text AS last_event,
       EXISTS (SELECT 1 FROM ignored_machines WHERE ignored_machines.machine = seen.machine) AS ignored FROM (
       SELECT coalesce(mac, address) AS machine, min(at) AS first_seen, max(at) AS last_seen, count(*) AS events,
         max(id) AS last_id
       FROM machine_events
       WHERE node_uuid IS NULL AND coalesce(mac, address) IS NOT NULL
         AND (mac IS NULL OR mac NOT IN (SELECT address FROM ports))
       GROUP BY machine) AS seen
     JOIN machine_events ON id = last_id ORDER BY last_id DESC LIMIT ?`,
  );
  const count = connection
    .prepare(
      `SELECT count(*) FROM (
         SELECT coalesce(mac, address) AS machine FROM machine_events
         WHERE node_uuid IS NULL AND coalesce(mac, address) IS NOT NULL
           AND (mac IS NULL OR mac NOT IN (SELECT address FROM ports))
         EXCEPT SELECT machine FROM ignored_machines)`,
    )
    .pluck();
  const ignore = connection.prepare('INSERT OR IGNORE INTO ignored_machines (machine, since) VALUES (?, ?)');
  const stopIgnoring = connection.prepare('DELETE FROM ignored_machines WHERE machine = ?');
  const forgetGone = connection.prepare(
    `DELETE FROM ignored_machines WHERE machine NOT IN
       (SELECT coalesce(mac, address) FROM machine_events WHERE node_uuid IS NULL AND coalesce(mac, address) IS NOT NULL)`,
  );
  return {
    /** Returns the machines that belong to no node, the most recently seen first. */
    unknownMachines: (limit: number): readonly UnknownMachine[] =>
      unknown.all(limit).map((row) => {
        const { ignored, ...machine } = row as UnknownRow;
        return { ...machine, ignored: ignored === 1 };
      }),
    /** How many machines belong to no node and are not ignored. */
    countUnknown: () => count.get() as number,
    /** Marks the machine as ignored, and forgets the marks of machines whose events are no longer kept. */
    ignore(machine: string, since: string): void {
      ignore.run(machine, since);
      forgetGone.run();
    },
    stopIgnoring: (machine: string): void => {
      stopIgnoring.run(machine);
    },
  };
}

type UnknownRow = Omit<UnknownMachine, 'ignored'> & { readonly ignored: number };
type EventRow = Omit<MachineEvent, 'failed'> & { readonly failed: number };

const decoded = (row: EventRow): MachineEvent => ({ ...row, failed: row.failed === 1 });
