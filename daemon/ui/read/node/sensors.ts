// Reads what the sensors of a machine read now and in the last 24 hours.
import { type SensorCourse, sensorHistoryOf } from '../../../conductor/bmcs/sensor-history.ts';
import { BUCKET_SECONDS } from '../../../db/tables/sensor-histories.ts';
import { timestamp } from '../../../lib/clock.ts';
import type { SensorReading } from '../../../model/machine/sensors.ts';
import type { ReadServices } from '../services.ts';

export interface ShownSensor extends Pick<SensorReading, 'type' | 'id' | 'unit'> {
  /** The newest reading; null if the sensor has no number, or was not read the last time. */
  readonly reading: number | null;
  readonly health: SensorReading['health'];
  /** Undefined without readings in the last 24 hours. */
  readonly course: SensorCourse | undefined;
  readonly least: number | undefined;
  readonly greatest: number | undefined;
}

export interface ShownSensors {
  /** Whether [sensor_data] send_sensor_data is on. */
  readonly isOn: boolean;
  /** When the sensors were read last; null if they were not, or could not be, the last time. */
  readonly at: string | null;
  /** Those with a problem first, then those with a course. */
  readonly sensors: readonly ShownSensor[];
  /** See `ChartParts`. */
  readonly longestGap: number;
}

export function readSensors({ db, sensors, config, clock }: ReadServices, uuid: string): ShownSensors {
  const newest = sensors.of(uuid);
  const { sensors: courses } = sensorHistoryOf(db, uuid, clock.now());
  const byName = new Map(courses.map((course) => [nameOf(course), course]));
  const now = newest?.sensors ?? [];
  const known = new Set(now.map(nameOf));
  const shown = [
    ...now.map((sensor) => shownSensor(sensor, byName.get(nameOf(sensor)))),
    ...courses
      .filter((course) => !known.has(nameOf(course)))
      .map((course) => shownSensor({ ...course, reading: null, health: null }, course)),
  ];
  const { send_sensor_data: isOn, interval } = config.sensor_data;
  return {
    isOn,
    at: newest === undefined ? null : timestamp(newest.at),
    sensors: shown.toSorted((a, b) => rankOf(a) - rankOf(b)),
    longestGap: 2 * Math.ceil(interval / BUCKET_SECONDS),
  };
}

const nameOf = ({ type, id }: Pick<SensorReading, 'type' | 'id'>): string => JSON.stringify([type, id]);

function shownSensor(
  { type, id, unit, reading, health }: Omit<SensorReading, 'fields'>,
  course: SensorCourse | undefined,
): ShownSensor {
  const ends = course && {
    least: Math.min(...numbers(course.least)),
    greatest: Math.max(...numbers(course.greatest)),
  };
  return { type, id, unit, reading, health, course, least: ends?.least, greatest: ends?.greatest };
}

const numbers = (list: SensorCourse['mean']): readonly number[] => list.filter((value) => value !== null);

export const hasSensorProblem = ({ health }: Pick<ShownSensor, 'health'>): boolean =>
  health !== null && health !== 'OK';

const RANKS = ['Critical', 'Warning'];

function rankOf(sensor: ShownSensor): number {
  const rank = RANKS.indexOf(sensor.health ?? '');
  if (rank >= 0) return rank;
  return sensor.course === undefined ? 3 : 2;
}
