// Stores an event: a notification for streams and webhooks.
import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';

export interface EventSetup {
  readonly clock: Pick<Clock, 'now'>;
  readonly host: string;
  /** How many events are kept. */
  readonly keep: number;
}

export interface NewEvent {
  readonly event_type: string;
  readonly node_uuid: string | null;
  readonly priority: 'info' | 'error';
  readonly payload: JsonObject;
}

/** Surplus events are deleted once in this many new events, so that up to this many more than `keep` are stored. */
const SURPLUS = 200;

export function storeEvent(
  db: Pick<Database, 'events'>,
  { clock, host, keep }: EventSetup,
  event: NewEvent,
): void {
  const { event_type, node_uuid, priority, payload } = event;
  const body = JSON.stringify({
    event_type,
    message_id: randomUUID(),
    priority,
    publisher_id: `ironic-edge.${host}`,
    timestamp: new Date(clock.now()).toISOString(),
    payload,
  });
  const id = db.events.insert({ event_type, node_uuid, body });
  if (id % SURPLUS === 0) db.events.trim(id - keep);
}
