// Temperatures, fans, voltages and power of the chassis of a machine, as Thermal and Power show them.
import type { JsonObject, SensorReading } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { ownChassis } from '../../bmc/chassis.ts';
import { numberIn, objectsIn, pathIn, textIn } from '../../bmc/fields.ts';
import { collectedSensors } from './collected-sensors.ts';
import { type FieldNames, fieldsOf, healthOf, identityOf, isAbsent } from './sensor-fields.ts';

interface Kind {
  readonly type: string;
  /** The name of the list in Thermal or Power. */
  readonly list: string;
  /** A prefix for the sensor's `id`. Set if another list has sensors of the same `type`, whose identities may be the same. */
  readonly prefix?: string;
  /** The names of fields; the first field that is a number is the reading. */
  readonly readings: readonly string[];
  readonly unit: SensorReading['unit'];
  readonly fields: FieldNames;
}

const RANGE = [
  ['max_reading_range', 'MaxReadingRange'],
  ['min_reading_range', 'MinReadingRange'],
] as const;

const FAN: Kind = {
  type: 'Fan',
  list: 'Fans',
  readings: ['Reading', 'ReadingRPM'],
  unit: 'rpm',
  fields: [
    ['identity', 'MemberId'],
    ...RANGE,
    ['reading', 'Reading'],
    ['reading_units', 'ReadingUnits'],
    ['serial_number', 'SerialNumber'],
    ['physical_context', 'PhysicalContext'],
  ],
};
const TEMPERATURE: Kind = {
  type: 'Temperature',
  list: 'Temperatures',
  readings: ['ReadingCelsius'],
  unit: 'celsius',
  fields: [
    ['identity', 'MemberId'],
    ['max_reading_range_temp', 'MaxReadingRangeTemp'],
    ['min_reading_range_temp', 'MinReadingRangeTemp'],
    ['reading_celsius', 'ReadingCelsius'],
    ['physical_context', 'PhysicalContext'],
    ['sensor_number', 'SensorNumber'],
  ],
};
const SUPPLY: Kind = {
  type: 'Power',
  list: 'PowerSupplies',
  readings: ['LastPowerOutputWatts', 'PowerOutputWatts'],
  unit: 'watts',
  fields: [
    ['power_capacity_watts', 'PowerCapacityWatts'],
    ['line_input_voltage', 'LineInputVoltage'],
    ['last_power_output_watts', 'LastPowerOutputWatts'],
    ['serial_number', 'SerialNumber'],
  ],
};
const CONSUMPTION: Kind = {
  type: 'Power',
  list: 'PowerControl',
  prefix: 'PowerControl.',
  readings: ['PowerConsumedWatts'],
  unit: 'watts',
  fields: [['power_consumed_watts', 'PowerConsumedWatts']],
};
const VOLTAGE: Kind = {
  type: 'Voltage',
  list: 'Voltages',
  readings: ['ReadingVolts'],
  unit: 'volts',
  fields: [
    ['reading_volts', 'ReadingVolts'],
    ['sensor_number', 'SensorNumber'],
  ],
};

/** The sensors of all chassis of the machine. */
export async function chassisSensors(bmc: Bmc): Promise<readonly SensorReading[]> {
  const found: SensorReading[] = [];
  for (const chassis of await ownChassis(bmc)) found.push(...(await sensorsOf(bmc, chassis)));
  return found;
}

async function sensorsOf(bmc: Bmc, chassis: JsonObject): Promise<readonly SensorReading[]> {
  const id = textIn(chassis['Id']) ?? '';
  const partOf = async (name: string): Promise<JsonObject> => {
    const path = pathIn(chassis[name]);
    const read =
      path === undefined ? undefined : bmc.optional(`${name} of chassis ${id}`, () => bmc.get(path));
    return (await read) ?? {};
  };
  const [thermal, power] = [await partOf('Thermal'), await partOf('Power')];
  const listed = [
    ...sensorsIn(thermal, [FAN, TEMPERATURE], `@${id}`),
    ...sensorsIn(power, [SUPPLY, CONSUMPTION, VOLTAGE], `:Power@${id}`),
  ];
  const shown = [FAN, TEMPERATURE, SUPPLY, CONSUMPTION, VOLTAGE].flatMap(({ list }) => [
    ...objectsIn(thermal[list]),
    ...objectsIn(power[list]),
  ]);
  return [...listed, ...(await collectedSensors(bmc, chassis, shown))];
}

const sensorsIn = (resource: JsonObject, kinds: readonly Kind[], place: string): readonly SensorReading[] =>
  kinds.flatMap((kind) =>
    objectsIn(resource[kind.list])
      .filter((sensor) => !isAbsent(sensor))
      .map((sensor) => ({
        type: kind.type,
        id: `${kind.prefix ?? ''}${identityOf(sensor)}${place}`,
        reading:
          kind.readings.map((name) => numberIn(sensor[name])).find((read) => read !== undefined) ?? null,
        unit: sensor['ReadingUnits'] === 'Percent' ? 'percent' : kind.unit,
        health: healthOf(sensor),
        fields: fieldsOf(sensor, kind.fields),
      })),
  );
