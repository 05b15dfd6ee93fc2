// Temperatures, fans, voltages and power of a chassis: read from Thermal and Power, or from the collection of sensors on newer
// BMCs that have neither.
import type { JsonObject, SensorReading } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { numberIn, objectsIn, pathIn, textIn } from '../../bmc/fields.ts';
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

/** The type and unit of a sensor in the collection, by its ReadingType. */
const collected: Readonly<Record<string, Pick<SensorReading, 'type' | 'unit'>>> = {
  Temperature: { type: 'Temperature', unit: 'celsius' },
  Rotational: { type: 'Fan', unit: 'rpm' },
  Power: { type: 'Power', unit: 'watts' },
  Voltage: { type: 'Voltage', unit: 'volts' },
  Current: { type: 'Current', unit: 'amperes' },
};

export async function chassisSensors(bmc: Bmc): Promise<readonly SensorReading[]> {
  const path = await bmc.chassisPath();
  if (path === undefined) return [];
  const chassis = await bmc.learnt.fact(`chassis ${path}`, () => bmc.get(path));
  const [thermal, power, sensors] = ['Thermal', 'Power', 'Sensors'].map((name) => pathIn(chassis[name]));
  const place = `@${textIn(chassis['Id']) ?? ''}`;
  const found = [
    ...sensorsIn(await readAt(bmc, thermal), [FAN, TEMPERATURE], place),
    ...sensorsIn(await readAt(bmc, power), [SUPPLY, CONSUMPTION, VOLTAGE], `:Power${place}`),
  ];
  return found.length > 0 ? found : collectedSensors(await bmc.membersIfAny(sensors), place);
}

const readAt = async (bmc: Bmc, path: string | undefined): Promise<JsonObject> =>
  (path === undefined ? undefined : await bmc.find(path)) ?? {};

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

const collectedSensors = (sensors: readonly JsonObject[], place: string): readonly SensorReading[] =>
  sensors.flatMap((sensor) => {
    const isFanLevel = sensor['ReadingType'] === 'Percent' && sensor['PhysicalContext'] === 'Fan';
    const kind = isFanLevel
      ? ({ type: 'Fan', unit: 'percent' } as const)
      : collected[textIn(sensor['ReadingType']) ?? ''];
    if (kind === undefined || isAbsent(sensor)) return [];
    const fields = [
      ['identity', 'Id'],
      ['reading', 'Reading'],
      ['reading_units', 'ReadingUnits'],
      ['physical_context', 'PhysicalContext'],
    ] as const;
    return [
      {
        ...kind,
        id: `${identityOf(sensor)}${place}`,
        reading: numberIn(sensor['Reading']) ?? null,
        health: healthOf(sensor),
        fields: fieldsOf(sensor, fields),
      },
    ];
  });
