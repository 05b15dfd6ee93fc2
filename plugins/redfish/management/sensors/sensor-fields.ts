// What Redfish sensors have in common, and the names that Ironic's notifications give to their fields.
import type { Json, JsonObject, SensorReading } from '#plugin-api';
import { objectIn, textIn } from '../../bmc/fields.ts';

/** Names of fields in the notification, and the names that Redfish has for them. */
export type FieldNames = readonly (readonly [notified: string, name: string])[];

export function fieldsOf(resource: JsonObject, names: FieldNames): JsonObject {
  const { State: state, Health: health } = objectIn(resource['Status']);
  const own = names.map(([notified, name]): [string, Json] => [notified, resource[name] ?? null]);
  return { ...Object.fromEntries(own), state: state ?? 'Enabled', health: health ?? null };
}

export function healthOf(resource: JsonObject): SensorReading['health'] {
  const { Health: health } = objectIn(resource['Status']);
  return health === 'OK' || health === 'Warning' || health === 'Critical' ? health : null;
}

/** Whether the BMC reports that the device is not plugged in. */
export const isAbsent = (resource: JsonObject): boolean =>
  textIn(objectIn(resource['Status'])['State']) === 'Absent';

/** The part of the sensor's identity that is unique in its list. */
export const identityOf = (resource: JsonObject): string =>
  textIn(resource['MemberId']) ?? textIn(resource['Id']) ?? textIn(resource['Name']) ?? '';
