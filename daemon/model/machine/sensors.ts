// What the sensors of a machine read: temperatures, fans, power, drives.
import type { JsonObject } from '../json.ts';

export const sensorUnits = ['celsius', 'rpm', 'percent', 'volts', 'amperes', 'watts'] as const;
export type SensorUnit = (typeof sensorUnits)[number];

export const sensorHealths = ['OK', 'Warning', 'Critical'] as const;
export type SensorHealth = (typeof sensorHealths)[number];

export interface SensorReading {
  /** `Temperature`, `Fan`, `Power`, `Drive` or another kind, in the words of Ironic's notification. */
  readonly type: string;
  /** Unique among the sensors of its type. */
  readonly id: string;
  /** Null when the sensor has no reading, or one that is no number. */
  readonly reading: number | null;
  readonly unit: SensorUnit | null;
  /** Null when the BMC reports no health. */
  readonly health: SensorHealth | null;
  /**
   * What the BMC reports about the sensor, in the BMC's own words, such as `{ 'Sensor Reading': '38 degrees C' }`. Ironic's
   * notification `hardware.<driver>.metrics` contains these fields.
   */
  readonly fields: JsonObject;
}
