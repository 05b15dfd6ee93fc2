// Reads the sensors of nodes at an interval, if [sensor_data] asks for it.
import { reasonOf } from '../../model/faults.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import { keepReadings } from '../bmcs/sensor-history.ts';
import { withTaskUnlocked } from '../tasks/run-task.ts';
import { inParallel, startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import type { LoopServices } from './services.ts';
import { sensorLimits } from '../limits.ts';

export function startSensorRounds(services: LoopServices): StopLoop {
  const { send_sensor_data: isEnabled, interval } = services.config.sensor_data;
  const readAt = new Map<string, number>();
  return startPeriodic(services, 'sensor data', isEnabled ? interval : 0, () => round(services, readAt));
}

/** `readAt`: when the last attempt to read the sensors of each node ended; minus infinity if there was no attempt. */
async function round(services: LoopServices, readAt: Map<string, number>): Promise<void> {
  const { clock, config, db, log, sensors } = services;
  const { workers, wait_timeout: seconds, enable_for_undeployed_nodes: everywhere } = config.sensor_data;
  const uuids = db.nodes.outsideMaintenance(everywhere ? undefined : 'active');
  sensors.keepOnly(uuids);
  const since = new Map(uuids.map((uuid) => [uuid, readAt.get(uuid) ?? Number.NEGATIVE_INFINITY]));
  readAt.clear();
  for (const [uuid, at] of since) readAt.set(uuid, at);
  const until = clock.monotonic() + seconds * 1000;
  let late = 0;
  // the nodes whose last attempt is oldest come first: earlier rounds may have had no time left for them
  const longestUnread = [...since].toSorted(([, one], [, other]) => one - other).map(([uuid]) => uuid);
  await inParallel(longestUnread, workers, async (uuid) => {
    if (clock.monotonic() >= until) {
      late += 1;
      return;
    }
    await readSensors(services, uuid);
    readAt.set(uuid, clock.monotonic());
  });
  if (late > 0)
    log.warn({ nodes: late, seconds }, 'sensors of nodes were not read within [sensor_data] wait_timeout');
}

async function readSensors(services: LoopServices, uuid: string): Promise<void> {
  const { clock, config, db, log, sensors } = services;
  try {
    await withTaskUnlocked(services, uuid, async ({ node, driver, view }) => {
      const management = availableInterface(driver, 'management');
      if (management?.readSensors === undefined) return sensors.forget(uuid);
      await management.validate(view);
      const read = await management.readSensors(view);
      const readings = { node, at: clock.now(), sensors: admitted(read, config.sensor_data.data_types) };
      // one transaction, so that the readings and the event made of them are one write to the disk
      db.transaction(() => {
        keepReadings(db, readings);
        sensors.record(readings);
      });
    });
  } catch (error) {
    sensors.forget(uuid);
    log.warn({ node: uuid, reason: reasonOf(error) }, 'the sensors of the machine could not be read');
  }
}

/** Returns the readings of the wanted types, one for each sensor, and not more than are kept. */
function admitted(read: readonly SensorReading[], types: readonly string[]): readonly SensorReading[] {
  const wanted = new Set(types.map((type) => type.toLowerCase()));
  const byName = new Map<string, SensorReading>();
  for (const sensor of read) {
    if (byName.size === sensorLimits.read) break;
    const isWanted = wanted.has('all') || wanted.has(sensor.type.toLowerCase());
    const name = JSON.stringify([sensor.type, sensor.id]);
    if (isWanted && !byName.has(name)) byName.set(name, sensor);
  }
  return [...byName.values()];
}
