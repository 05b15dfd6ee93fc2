// The sensor_histories and sensor_buckets tables: what the sensors of each node read in the last 24 hours, in buckets of five
// minutes. A node has a bounded number of buckets: a new one replaces that of a day before.
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { Connection } from '../open.ts';

export const BUCKET_SECONDS = 300;
/** How many buckets a node has: those of 24 hours. */
export const BUCKETS = 86_400 / BUCKET_SECONDS;

/** A sensor whose readings are kept. */
export interface KeptSensor extends Pick<SensorReading, 'type' | 'id' | 'unit'> {
  /** The first bucket with readings of this sensor; earlier buckets may have those of another one in its place. */
  readonly since: number;
}

export interface SensorBucket {
  /** The number of the bucket: the time since the epoch, divided by BUCKET_SECONDS. */
  readonly bucket: number;
  readonly readings: Buffer;
}

export type SensorHistoriesTable = ReturnType<typeof createSensorHistoriesTable>;

export function createSensorHistoriesTable(connection: Connection) {
  const sensors = connection.prepare('SELECT sensors FROM sensor_histories WHERE node_uuid = ?').pluck();
  const keep = connection.prepare(
    `INSERT INTO sensor_histories (node_uuid, sensors) SELECT uuid, $sensors FROM nodes WHERE uuid = $node
     ON CONFLICT (node_uuid) DO UPDATE SET sensors = excluded.sensors`,
  );
  const bucketOf = connection
    .prepare('SELECT readings FROM sensor_buckets WHERE node_uuid = ? AND slot = ? AND bucket = ?')
    .pluck();
  const put = connection.prepare(
    `INSERT OR REPLACE INTO sensor_buckets (node_uuid, slot, bucket, readings)
     SELECT node_uuid, $slot, $bucket, $readings FROM sensor_histories WHERE node_uuid = $node`,
  );
  const between = connection.prepare(
    `SELECT bucket, readings FROM sensor_buckets WHERE node_uuid = ? AND bucket > ? AND bucket <= ? ORDER BY bucket`,
  );
  return {
    sensorsOf(node: string): readonly KeptSensor[] {
      const found = sensors.get(node) as string | undefined;
      return found === undefined ? [] : (JSON.parse(found) as readonly KeptSensor[]);
    },
    /** Does nothing if the node is gone. */
    keepSensors: (node: string, kept: readonly KeptSensor[]): void => {
      keep.run({ node, sensors: JSON.stringify(kept) });
    },
    readingsIn: (node: string, bucket: number): Buffer | undefined =>
      bucketOf.get(node, bucket % BUCKETS, bucket) as Buffer | undefined,
    /** Does nothing if no sensor of the node is kept. */
    putBucket: (node: string, { bucket, readings }: SensorBucket): void => {
      put.run({ node, slot: bucket % BUCKETS, bucket, readings });
    },
    /** Returns the buckets of the 24 hours that end with the bucket `last`, the oldest first; without those that have no reading. */
    bucketsUntil: (node: string, last: number): readonly SensorBucket[] =>
      between.all(node, last - BUCKETS, last) as SensorBucket[],
  };
}
