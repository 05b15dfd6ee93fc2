// The events and webhooks tables: the events that have happened, and the last event that was delivered to each webhook.
import type { Connection } from '../open.ts';

export interface StoredEvent {
  readonly id: number;
  /** A type such as `baremetal.node.power_set.end`. */
  readonly event_type: string;
  readonly node_uuid: string | null;
  /** A notification as JSON. */
  readonly body: string;
}

export interface EventFilter {
  readonly node?: string | undefined;
  /** The text that `event_type` must begin with. */
  readonly type?: string | undefined;
}

export type EventsTable = ReturnType<typeof createEventsTable>;

export function createEventsTable(connection: Connection) {
  const insert = connection
    .prepare(
      'INSERT INTO events (event_type, node_uuid, body) VALUES ($event_type, $node_uuid, $body) RETURNING id',
    )
    .pluck();
  // sqlite_sequence keeps the newest id even when all events have been deleted
  const newest = connection
    .prepare(`SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)`)
    .pluck();
  const oldest = connection.prepare('SELECT min(id) FROM events').pluck();
  const after = connection.prepare(
    `SELECT id, event_type, node_uuid, body FROM events
     WHERE id > $cursor AND ($node IS NULL OR node_uuid = $node) AND substr(event_type, 1, length($type)) = $type
     ORDER BY id LIMIT $limit`,
  );
  const before = connection.prepare(
    `SELECT id, event_type, node_uuid, body FROM events
     WHERE id < $cursor AND ($node IS NULL OR node_uuid = $node) AND substr(event_type, 1, length($type)) = $type
     ORDER BY id DESC LIMIT $limit`,
  );
  const removeReadings = connection.prepare(
    `DELETE FROM events WHERE node_uuid = ? AND event_type GLOB 'hardware.*'`,
  );
  const trim = connection.prepare('DELETE FROM events WHERE id <= ?');
  const cursor = connection.prepare('SELECT delivered_id FROM webhooks WHERE name = ?').pluck();
  const putCursor = connection.prepare('INSERT OR REPLACE INTO webhooks (name, delivered_id) VALUES (?, ?)');
  return {
    insert: (event: Omit<StoredEvent, 'id'>): number => Number(insert.get(event)),
    newestId: () => Number(newest.get()),
    /** Returns the id of the oldest event that is kept; undefined when there is none. */
    oldestId: () => (oldest.get() as number | null) ?? undefined,
    after: (cursorId: number, limit: number, { node, type = '' }: EventFilter = {}) =>
      after.all({ cursor: cursorId, limit, node: node ?? null, type }) as readonly StoredEvent[],
    /** Returns events with an id lower than `cursorId`, the newest first. */
    before: (cursorId: number, limit: number, { node, type = '' }: EventFilter = {}) =>
      before.all({ cursor: cursorId, limit, node: node ?? null, type }) as readonly StoredEvent[],
    /** Deletes the events of the node's sensors. */
    removeReadings: (node: string): void => {
      removeReadings.run(node);
    },
    /** Deletes the event and all older ones. */
    trim: (id: number): void => {
      trim.run(id);
    },
    deliveredTo: (webhook: string) => cursor.get(webhook) as number | undefined,
    setDelivered: (webhook: string, id: number): void => {
      putCursor.run(webhook, id);
    },
  };
}
