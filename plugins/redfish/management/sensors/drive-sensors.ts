// The health of drives: read from SimpleStorage, or else from the drives of each storage controller.
import type { JsonObject, SensorReading } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
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
  const simple = await bmc.membersIfAny(pathIn(system['SimpleStorage']));
  const inSimple = simple.flatMap((storage) => drivesOf(objectsIn(storage['Devices']), storage, place));
  return inSimple.length > 0 ? inSimple : inStorage(bmc, pathIn(system['Storage']), place);
}

async function inStorage(
  bmc: Bmc,
  path: string | undefined,
  place: string,
): Promise<readonly SensorReading[]> {
  const found: SensorReading[] = [];
  const storages =
    path === undefined ? [] : await bmc.learnt.fact(`storages ${path}`, () => bmc.memberPaths(path));
  for (const storagePath of storages) {
    const storage = await bmc.getExpanded(storagePath);
    found.push(...drivesOf(await bmc.linked(objectsIn(storage['Drives'])), storage, place));
  }
  return found;
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
