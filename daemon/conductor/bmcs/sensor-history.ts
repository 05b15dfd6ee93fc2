// What the sensors of a node read in the last 24 hours: the mean, the least and the greatest reading of every five minutes.
// For one bucket of one sensor there are four numbers of 32 bits: mean, least, greatest, and how many readings they are of.
import type { Database } from '../../db/database.ts';
import {
  BUCKET_SECONDS,
  BUCKETS,
  type KeptSensor,
  type SensorBucket,
} from '../../db/tables/sensor-histories.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import { sensorLimits } from '../limits.ts';
import type { NodeReadings } from './sensor-readings.ts';

/** Null where the sensor was not read. */
type Readings = readonly (number | null)[];

export interface SensorCourse extends Pick<SensorReading, 'type' | 'id' | 'unit'> {
  readonly mean: Readings;
  readonly least: Readings;
  readonly greatest: Readings;
}

export interface SensorHistory {
  /** When each five minutes begin, in milliseconds since the epoch, the oldest first; the last ones are those of now. */
  readonly times: readonly number[];
  /** Each has a reading for each of `times`. Without the sensors that have no reading in all this time. */
  readonly sensors: readonly SensorCourse[];
}

const NUMBERS = 4;
const BYTES = NUMBERS * Float32Array.BYTES_PER_ELEMENT;

const bucketAt = (milliseconds: number): number => Math.floor(milliseconds / 1000 / BUCKET_SECONDS);

/** Adds the readings to the bucket of their time. One write, or two if a sensor is new; run it in a transaction. */
export function keepReadings(
  { sensorHistories: table }: Pick<Database, 'sensorHistories'>,
  { node: { uuid }, at, sensors }: NodeReadings,
): void {
  const bucket = bucketAt(at);
  const numeric = sensors.filter(isKeepable);
  const before = table.sensorsOf(uuid);
  const kept = withNewSensors(before, numeric, bucket);
  if (kept !== before) table.keepSensors(uuid, kept);
  const readings = withReadings(table.readingsIn(uuid, bucket), kept, numeric);
  if (numeric.length > 0) table.putBucket(uuid, { bucket, readings });
}

export function sensorHistoryOf(
  { sensorHistories: table }: Pick<Database, 'sensorHistories'>,
  node: string,
  now: number,
): SensorHistory {
  const last = bucketAt(now);
  const first = last - BUCKETS + 1;
  const buckets = table.bucketsUntil(node, last);
  const times = Array.from({ length: BUCKETS }, (_, at) => (first + at) * BUCKET_SECONDS * 1000);
  const courses = table.sensorsOf(node).map((sensor, place) => courseOf(sensor, place, { buckets, first }));
  return { times, sensors: courses.filter(({ mean }) => mean.some((each) => each !== null)) };
}

interface Day {
  readonly buckets: readonly SensorBucket[];
  readonly first: number;
}

function courseOf(
  { type, id, unit, since }: KeptSensor,
  place: number,
  { buckets, first }: Day,
): SensorCourse {
  const [mean, least, greatest] = Array.from({ length: 3 }, () => Array<number | null>(BUCKETS).fill(null));
  for (const { bucket, readings } of buckets) {
    const start = place * BYTES;
    if (bucket < since || readings.length < start + BYTES) continue;
    if (readings.readFloatLE(start + 3 * 4) === 0) continue;
    for (const [at, list] of [mean, least, greatest].entries())
      if (list !== undefined) list[bucket - first] = rounded(readings.readFloatLE(start + at * 4));
  }
  return { type, id, unit, mean: mean ?? [], least: least ?? [], greatest: greatest ?? [] };
}

/** A number of 32 bits has seven digits; the rest would be noise. */
const rounded = (value: number): number => Number(value.toPrecision(6));

type Numeric = SensorReading & { readonly reading: number };

const isKeepable = (sensor: SensorReading): sensor is Numeric =>
  sensor.reading !== null &&
  Number.isFinite(Math.fround(sensor.reading)) &&
  sensor.type.length + sensor.id.length <= sensorLimits.characters;

const nameOf = ({ type, id }: Pick<SensorReading, 'type' | 'id'>): string => JSON.stringify([type, id]);

/**
 * Returns the list itself if no sensor is to be added. While there is room, adds sensors at the end; then in the place of those that
 * report no number any more.
 */
function withNewSensors(
  before: readonly KeptSensor[],
  numeric: readonly Numeric[],
  bucket: number,
): readonly KeptSensor[] {
  const known = new Set(before.map(nameOf));
  // the clock was set back
  const isAhead = before.some(({ since }) => since > bucket);
  const fresh = alternating(numeric.filter((sensor) => !known.has(nameOf(sensor))));
  if (fresh.length === 0 && !isAhead) return before;
  const seen = new Set(numeric.map(nameOf));
  const kept = before.map((sensor) => (sensor.since > bucket ? { ...sensor, since: bucket } : sensor));
  const idle = before.flatMap((sensor, place) => (seen.has(nameOf(sensor)) ? [] : [place]));
  for (const { type, id, unit } of fresh) {
    const place = kept.length < sensorLimits.kept ? kept.length : idle.shift();
    if (place === undefined) break;
    kept[place] = { type, id, unit, since: bucket };
  }
  return kept.some((sensor, place) => sensor !== before[place]) ? kept : before;
}

/** Sorts the sensors so that each type has its turn: many sensors of one type do not keep out those of another. */
function alternating(numeric: readonly Numeric[]): readonly Numeric[] {
  const byType = Map.groupBy(numeric, ({ type }) => type);
  return [...byType.values()]
    .flatMap((ofType) => ofType.map((sensor, turn) => ({ sensor, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ sensor }) => sensor);
}

function withReadings(
  before: Buffer | undefined,
  kept: readonly KeptSensor[],
  numeric: readonly Numeric[],
): Buffer {
  const readings = Buffer.alloc(kept.length * BYTES);
  before?.copy(readings);
  const byName = new Map(numeric.map((sensor) => [nameOf(sensor), sensor.reading]));
  for (const [place, sensor] of kept.entries()) {
    const reading = byName.get(nameOf(sensor));
    if (reading !== undefined) addReading(readings, place * BYTES, reading);
  }
  return readings;
}

function addReading(readings: Buffer, start: number, reading: number): void {
  const [mean = 0, least = 0, greatest = 0, count = 0] = Array.from({ length: NUMBERS }, (_, at) =>
    readings.readFloatLE(start + at * 4),
  );
  const isFirst = count === 0;
  const now = [
    mean + (reading - mean) / (count + 1),
    isFirst ? reading : Math.min(least, reading),
    isFirst ? reading : Math.max(greatest, reading),
    count + 1,
  ];
  for (const [at, value] of now.entries()) readings.writeFloatLE(value, start + at * 4);
}
