// Makes an event of each reading of a node's sensors, as Ironic's notification `hardware.<driver>.metrics`. The event replaces
// that of the node's previous reading, so that readings do not fill the database.
import { randomUUID } from 'node:crypto';
import type { NodeReadings } from '../../conductor/bmcs/sensor-readings.ts';
import { timestamp } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { EventLog, NewEvent } from './event-log.ts';
import type { ObservedServices } from '../services.ts';

const LONGEST_PAYLOAD = 262_144;

export function announceSensors({ sensors, db, log }: ObservedServices, events: EventLog): void {
  sensors.watchers.add((readings) => {
    const { node } = readings;
    const event = eventOf(readings);
    const length = JSON.stringify(event.payload).length;
    if (length > LONGEST_PAYLOAD) {
      log.warn({ node: node.uuid, length, limit: LONGEST_PAYLOAD }, 'sensor data are too long for an event');
      return;
    }
    db.transaction(() => {
      db.events.removeReadings(node.uuid);
      events.store(event);
    });
  });
}

function eventOf({ node, at, sensors }: NodeReadings): NewEvent {
  const { uuid, name, instance_uuid } = node;
  const event_type = `hardware.${node.driver}.metrics`;
  const payload = {
    message_id: randomUUID(),
    event_type: `${event_type}.update`,
    node_uuid: uuid,
    node_name: name,
    instance_uuid,
    timestamp: timestamp(at),
    payload: byType(sensors),
  };
  return { event_type, node_uuid: uuid, priority: 'info', payload };
}

const byType = (sensors: readonly SensorReading[]): JsonObject =>
  Object.fromEntries(
    [...Map.groupBy(sensors, ({ type }) => type)].map(([type, ofType]) => [
      type,
      Object.fromEntries(ofType.map(({ id, fields }) => [id, fields])),
    ]),
  );
