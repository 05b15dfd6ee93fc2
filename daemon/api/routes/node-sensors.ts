// /v1/nodes/{node}/sensors/history: what the sensors of a node read in the last 24 hours.
import { sensorHistoryOf } from '../../conductor/bmcs/sensor-history.ts';
import { nodeOf } from '../../conductor/records/find-record.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const readingsSchema = listSchema(orNull({ type: 'number' }));

const sensorSchema = wholeSchema(
  {
    type: textSchema,
    sensor: textSchema,
    unit: orNull(textSchema),
    mean: readingsSchema,
    min: readingsSchema,
    max: readingsSchema,
  },
  'SensorHistory',
);

export const nodeSensorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/nodes/:node/sensors/history',
    since: 1,
    answers: { 200: wholeSchema({ times: listSchema(textSchema), sensors: listSchema(sensorSchema) }) },
    handler(request) {
      const { services } = request;
      const { times, sensors } = sensorHistoryOf(services.db, nodeOf(request).uuid, services.clock.now());
      const body = {
        times: times.map(timestamp),
        sensors: sensors.map(({ type, id, unit, mean, least, greatest }) => ({
          type,
          sensor: id,
          unit,
          mean,
          min: least,
          max: greatest,
        })),
      };
      return { status: 200, body };
    },
  }),
];
