// The sensors in the collection `Sensors` of a chassis, which newer BMCs have beside or in place of Thermal and Power.
import type { JsonObject, SensorReading } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { numberIn, pathIn, textIn } from '../../bmc/fields.ts';
import { fieldsOf, healthOf, identityOf, isAbsent } from './sensor-fields.ts';

/** The type and unit of a sensor by its ReadingType. */
const kinds: ReadonlyMap<string, Pick<SensorReading, 'type' | 'unit'>> = new Map([
  ['Temperature', { type: 'Temperature', unit: 'celsius' }],
  ['Rotational', { type: 'Fan', unit: 'rpm' }],
  ['Power', { type: 'Power', unit: 'watts' }],
  ['Voltage', { type: 'Voltage', unit: 'volts' }],
  ['Current', { type: 'Current', unit: 'amperes' }],
]);

/**
 * `shown`: what Thermal and Power list. Sensors with the same names are left out. If the BMC returns the members one by one, and
 * there are no more of them than in `shown`, they are not read at all: then they are most likely the same.
 */
export async function collectedSensors(
  bmc: Bmc,
  chassis: JsonObject,
  shown: readonly JsonObject[],
): Promise<readonly SensorReading[]> {
  const [path, id] = [pathIn(chassis['Sensors']), textIn(chassis['Id']) ?? ''];
  if (path === undefined) return [];
  const what = `the sensors of chassis ${id}`;
  const listed = (await bmc.optional(what, () => bmc.listed(path))) ?? [];
  const isWorthIt = (await bmc.expands()) || listed.length > shown.length;
  const names = new Set(shown.flatMap(({ Name: name }) => textIn(name) ?? []));
  return (isWorthIt ? await bmc.optionalLinked(what, listed) : [])
    .filter((sensor) => !names.has(textIn(sensor['Name']) ?? '') && !isAbsent(sensor))
    .map((sensor) => readingOf(sensor, `@${id}`));
}

const FIELDS = [
  ['identity', 'Id'],
  ['reading', 'Reading'],
  ['reading_units', 'ReadingUnits'],
  ['physical_context', 'PhysicalContext'],
] as const;

function readingOf(sensor: JsonObject, place: string): SensorReading {
  const type = textIn(sensor['ReadingType']) ?? 'Other';
  const isFanLevel = type === 'Percent' && sensor['PhysicalContext'] === 'Fan';
  const unit = type === 'Percent' ? 'percent' : null;
  return {
    ...(kinds.get(type) ?? { type: isFanLevel ? 'Fan' : type, unit }),
    id: `${identityOf(sensor)}${place}`,
    reading: numberIn(sensor['Reading']) ?? null,
    health: healthOf(sensor),
    fields: fieldsOf(sensor, FIELDS),
  };
}
