// The health of drives: read from SimpleStorage, or else from the drives of each storage controller.
import type { JsonObject, SensorReading } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { readStorages, storagePaths } from '../../bmc/storages.ts';
import { numberIn, objectsIn, pathIn, textIn } from '../../bmc/fields.ts';
import { fieldsOf, healthOf, isAbsent } from './sensor-fields.ts';

const FIELDS = [
  ['name', 'Name'],
  ['model', 'Model'],
  ['capacity_bytes', 'CapacityBytes'],
] as const;

export async function driveSensors(bmc: Bmc): Promise<readonly SensorReading[]> {
  const system = await bmc.knownSystem();
  const place = textIn(system['Id']) ?? '';
  const simple = await bmc.optionalMembers('the drives', pathIn(system['SimpleStorage']));
  const inSimple = simple.flatMap((storage) => drivesOf(objectsIn(storage['Devices']), storage, place));
  if (inSimple.length > 0) return inSimple;
  const paths = await bmc.known(`storages of ${await bmc.systemPath()}`, () => storagePaths(bmc));
  return (await readStorages(bmc, paths)).flatMap(({ resource, drives }) =>
    drivesOf(drives, resource, place),
  );
}

/** Leaves out absent drives, and devices without a capacity: these are backplanes or empty slots. */
const drivesOf = (
  drives: readonly JsonObject[],
  storage: JsonObject,
  place: string,
): readonly SensorReading[] =>
  drives
    .filter((drive) => !isAbsent(drive) && (numberIn(drive['CapacityBytes']) ?? 0) > 0)
    .map((drive) => ({
      type: 'Drive',
      id: `${textIn(drive['Name']) ?? ''}:${textIn(storage['Id']) ?? ''}@${place}`,
      reading: null,
      unit: null,
      health: healthOf(drive),
      fields: fieldsOf(drive, FIELDS),
    }));
