// Gauges of the sensors of nodes, as they were read last: the answer of /metrics/nodes.
import type { NodeReadings, SensorReadings } from '../../conductor/bmcs/sensor-readings.ts';
import { sensorHealths, type SensorReading, sensorUnits } from '../../model/machine/sensors.ts';
import { MetricRegistry } from './metric-registry.ts';

export function sensorMetrics(sensors: SensorReadings): MetricRegistry {
  const metrics = new MetricRegistry();
  const perSensor = (name: string, help: string, valueOf: (sensor: SensorReading) => number | null) =>
    metrics.gauge(`ironic_edge_node_sensor_${name}`, help, ['node', 'type', 'sensor'], () =>
      [...sensors.all].flatMap(({ node, sensors: read }) =>
        read.flatMap((sensor): [string[], number][] => {
          const value = valueOf(sensor);
          return value === null ? [] : [[[labelOf(node), sensor.type, sensor.id], value]];
        }),
      ),
    );
  for (const unit of sensorUnits)
    perSensor(unit, `Readings of sensors in ${unit}.`, (sensor) =>
      sensor.unit === unit ? sensor.reading : null,
    );
  perSensor('health', 'Health that the BMC reports: 0 OK, 1 Warning, 2 Critical.', ({ health }) =>
    health === null ? null : sensorHealths.indexOf(health),
  );
  metrics.gauge(
    'ironic_edge_node_sensors_read_timestamp_seconds',
    'When the sensors of the node were read, in seconds since the epoch.',
    ['node'],
    () => [...sensors.all].map(({ node, at }) => [[labelOf(node)], at / 1000]),
  );
  return metrics;
}

const labelOf = ({ uuid, name }: NodeReadings['node']): string => name ?? uuid;
