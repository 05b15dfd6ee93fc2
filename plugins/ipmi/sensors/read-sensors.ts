// Reads the sensors of a machine from its BMC.
import type { SensorReading, Task } from '#plugin-api';
import { ipmitool } from '../ipmitool.ts';
import { parseSensors } from './parse-sensors.ts';

export const readSensors = async (task: Task): Promise<readonly SensorReading[]> =>
  parseSensors(
    await ipmitool(task, { operation: 'Reading the sensors', command: ['sdr'], confirmation: 'Sensor ID' }),
  );
