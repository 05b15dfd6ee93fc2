// Reads the sensors of the management interface `redfish` in few requests: those of all chassis, and the drives.
import type { SensorReading, Task } from '#plugin-api';
import { converse } from '../../bmc/converse.ts';
import { chassisSensors } from './chassis-sensors.ts';
import { driveSensors } from './drive-sensors.ts';

export const readSensors = (task: Task): Promise<readonly SensorReading[]> =>
  converse(task, { operation: 'Reading the sensors', length: 10 }, async (bmc) => [
    ...(await chassisSensors(bmc)),
    ...(await driveSensors(bmc)),
  ]);
